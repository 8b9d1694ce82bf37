const factor = Number(process.env.TEST_ROUNDS ?? 1)

/**
 * Returns the number of cases of a random test: this one by default, and more with the environment
 * variable TEST_ROUNDS, a factor.
 */
export function rounds(count: number): number {
  return Math.ceil(count * factor)
}
