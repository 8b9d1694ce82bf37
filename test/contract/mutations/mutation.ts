/** One change of the sources that a test must detect. */
export interface Mutation {
  /** Path below `src`. */
  readonly file: string
  /** Text that occurs exactly once in the file. */
  readonly from: string
  readonly to: string
  /** Test files below `test`, of which one must fail. They should be few and fast. */
  readonly tests: readonly string[]
  /** Harm that the change does, as a sentence. */
  readonly why: string
}

/** Returns the changed source, or the reason why the mutation does not fit to it. */
export function applyMutation(
  source: string,
  { from, to }: Pick<Mutation, 'from' | 'to'>,
): { readonly source: string } | { readonly problem: string } {
  const [before = '', after, ...more] = source.split(from)
  if (after === undefined) return { problem: 'its text was not found' }
  if (more.length > 0) return { problem: `its text was found ${more.length + 1} times` }
  if (from === to) return { problem: 'it changes nothing' }
  return { source: `${before}${to}${after}` }
}
