import { renderText } from '../../../model/core/coded'
import type { ReportedReason } from '../../../model/core/reasonMessages'
import { importReasons } from '../../texts/texts'

/** Describes a reason in the language of the page, or else in English. */
export function reasonText({ code, values, why }: ReportedReason): string {
  return renderText(importReasons, { code, values }) ?? why
}
