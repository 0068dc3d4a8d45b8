"""Times of calls on a GPU, by PyTorch: chains in CUDA graphs over sets of buffers that
are together more than twice the L2, in random order."""

import math
import random
import statistics

import torch

CHUNK = 1 << 26  # Elements that are compared at a time.
WARM_UP = 3  # Rounds that are not counted.
# The stream on which graphs are captured. It is one because libraries keep memory for each.
streams = []


def find_bytes(values):
    return sum(value.numel() * value.element_size() for value in values
               if hasattr(value, "numel"))


def count_sets(size):
    """The number of sets of `size` bytes that are more than twice the L2."""
    limit = 2 * torch.cuda.get_device_properties(0).L2_cache_size
    return min(64, 1 + limit // max(size, 1))


def copy_values(values):
    return [value.clone() if hasattr(value, "clone") else value for value in values]


def make_sets(values):
    """Copies of the buffers that are together more than twice the L2."""
    count = count_sets(find_bytes(values))
    return [values] + [copy_values(values) for _ in range(count - 1)]


def capture(calls):
    """A graph of the calls. The first one runs before, on the same stream, because
    allocations of libraries and their handles cannot be captured."""
    if not streams:
        streams.append(torch.cuda.Stream())
    streams[0].wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(streams[0]):
        calls[0]()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=streams[0]):
        for call in calls:
            call()
    return graph


def time_call(call):
    """The microseconds of the work that a call starts."""
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    call()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) * 1000


def compare(ours, peer):
    """The largest difference over the largest value; NaN if one of them is NaN."""
    differences, values = [], []
    for own, other in zip(ours.reshape(-1).split(CHUNK), peer.reshape(-1).split(CHUNK)):
        own, other = own.double(), other.double()
        differences.append((own - other).abs().max().item())
        values.append(other.abs().max().item())
    if any(map(math.isnan, differences)):
        return math.nan
    return max(differences) / (max(values) or 1)


def time_chains(chains, rounds):
    """For each list of calls, the microseconds of a call in each round."""
    graphs = [capture(calls) for calls in chains]
    times = [[] for _ in chains]
    for number in range(rounds + WARM_UP):
        for i in random.sample(range(len(chains)), len(chains)):
            time = time_call(graphs[i].replay) / len(chains[i])
            if number >= WARM_UP:
                times[i].append(time)
    return times


def find_ratio(times, others):
    """The median of the ratios of two contenders' times, round by round."""
    return statistics.median(other / time for time, other in zip(times, others))
