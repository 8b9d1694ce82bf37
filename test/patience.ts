import { setDefaultTimeout } from 'bun:test'

/** A test that hangs is found either way; one on a machine with busy cores may take its time. */
setDefaultTimeout(60_000)
