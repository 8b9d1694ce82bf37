import type { Translated } from '../../model/core/coded'
import type { problemMessages } from '../../model/core/problemMessages'
import type { reasonMessages } from '../../model/core/reasonMessages'

/** Texts of problems in a language, one for each code. */
export type ProblemTexts = Translated<typeof problemMessages>

/** Texts of reasons in the report of an import, one for each code. */
export type ReasonTexts = Translated<typeof reasonMessages>
