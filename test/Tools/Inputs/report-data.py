"""Prints the data of reports' pages: the records of each group, unpacked, and the
summary, each as a line of JSON.

usage: report-data.py < PAGE
"""

import base64
import json
import re
import sys
import zlib


def main():
    page = sys.stdin.read()
    for index, method, text in re.findall(
            r'<script type="text/plain" id="group-(\d+)">(\w+):([^<]*)</script>', page):
        data = base64.b64decode(text)
        if method == "deflate":
            data = zlib.decompress(data)
        print("group %s: %s" % (index, json.dumps(json.loads(data),
                                                  separators=(",", ":"))))
    summary = re.search(r'<script id="data" type="application/json">(.*?)</script>',
                        page, re.S).group(1)
    print("summary: " + json.dumps(json.loads(summary), separators=(",", ":")))


if __name__ == "__main__":
    main()
