/* library_bc.S: the bitcode of runtime/library.c, inside the tool. */
	.section .rodata
	.globl muster_library_bc, muster_library_bc_end
	.balign 16
muster_library_bc:
	.incbin LIBRARY_BC
muster_library_bc_end:
	.byte 0
	.section .note.GNU-stack,"",@progbits
