import { availableParallelism } from 'node:os'

/** More processes than there are cores, because many tests wait for a process or a timer. */
export const workerCount = availableParallelism() + 2
