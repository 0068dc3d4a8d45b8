// RUN: tcgemm-opt %s -tcgemm-device-memory -split-input-file | FileCheck %s

// Allocations, clones and deallocations become the device's.

// CHECK-LABEL: func.func @temporaries
// CHECK-SAME:    %[[N:.*]]: index
// CHECK:         %[[A:.*]] = gpu.alloc (%[[N]]) : memref<?xf32>
// CHECK:         %[[B:.*]] = gpu.alloc (%{{.*}}) : memref<?xf32>
// CHECK:         memref.copy %[[A]], %[[B]]
// CHECK:         gpu.dealloc %[[A]]
// CHECK-NOT:     memref.alloc
// CHECK:         return
func.func @temporaries(%n: index) -> memref<?xf32> {
  %a = memref.alloc(%n) : memref<?xf32>
  %b = bufferization.clone %a : memref<?xf32> to memref<?xf32>
  memref.dealloc %a : memref<?xf32>
  return %b : memref<?xf32>
}

// -----

// Whether a buffer may be freed is decided on the host, with arrays of the host.

// CHECK-LABEL: func.func @ownership
// CHECK:         memref.alloc() : memref<{{.*}}xindex>
// CHECK:         call @dealloc_helper
// CHECK:         gpu.dealloc
// CHECK:         memref.dealloc %{{.*}} : memref<{{.*}}xindex>
// CHECK:         return
// CHECK:       func.func private @dealloc_helper
// CHECK-SAME:    tcgemm.host
func.func @ownership(%a: memref<4xf32>, %b: memref<4xf32>, %c: i1, %r: memref<4xf32>) -> (i1, i1) {
  %0:1 = bufferization.dealloc (%a, %b : memref<4xf32>, memref<4xf32>) if (%c, %c) retain (%r : memref<4xf32>)
  return %0#0, %0#0 : i1, i1
}

// -----

// A constant has memory of its own for as long as the module is loaded.

// CHECK-DAG:   llvm.mlir.global internal @weights_device() {{.*}} : !llvm.ptr
// CHECK-LABEL: func.func @constant
// CHECK:         %[[SLOT:.*]] = llvm.mlir.addressof @weights_device
// CHECK:         llvm.load %[[SLOT]]
// CHECK:         %[[W:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<2x2xf32>
// CHECK:         memref.copy %[[W]]
// CHECK:       func.func private @tcgemm_load_constants() attributes {tcgemm.constructor}
// CHECK:         %[[HOST:.*]] = memref.get_global @weights
// CHECK:         %[[DEVICE:.*]] = gpu.alloc () : memref<2x2xf32>
// CHECK:         gpu.memcpy %[[DEVICE]], %[[HOST]]
// CHECK:         llvm.store
// CHECK:       func.func private @tcgemm_unload_constants() attributes {tcgemm.destructor}
// CHECK:         gpu.dealloc
memref.global "private" constant @weights : memref<2x2xf32> = dense<[[1.0, 2.0], [3.0, 4.0]]>
func.func @constant(%out: memref<2x2xf32>) {
  %w = memref.get_global @weights : memref<2x2xf32>
  memref.copy %w, %out : memref<2x2xf32> to memref<2x2xf32>
  return
}
