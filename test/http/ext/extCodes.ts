/** Returns true if only the extension API has errors of this code. */
export function isExtCode(code: number): boolean {
  return code % 10_000 >= 9_000
}
