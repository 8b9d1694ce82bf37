import type { Translated } from '../../model/core/coded'
import type { problemMessages } from '../../model/core/problemMessages'

/** Texts of problems in a language, one for each code. */
export type ProblemTexts = Translated<typeof problemMessages>
