/* inline_bc.S: the bitcode of runtime/inline.c, inside the tool. */
	.section .rodata
	.globl muster_inline_bc, muster_inline_bc_end
	.balign 16
muster_inline_bc:
	.incbin INLINE_BC
muster_inline_bc_end:
	.byte 0
	.section .note.GNU-stack,"",@progbits
