/** A command that cannot be done, with a sentence for the person who asked. */
export class Refusal extends Error {
  constructor(
    message: string,
    /** Shown only to the account that asked. */
    readonly isPrivate = false,
  ) {
    super(message)
  }
}
