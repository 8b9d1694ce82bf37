import type { Answer } from './answer'

/** A command that cannot be done, with a sentence for the person who asked. */
export class Refusal extends Error {
  constructor(
    message: string,
    readonly options: Pick<Answer, 'isPrivate' | 'expects'> = {},
  ) {
    super(message)
  }
}
