import { DomainError } from '../../../model/core/errors'
import { discordBot } from '../../../model/core/privacy'
import { exportSystem } from '../../../service/transfer/export/export'
import { importForAccount, importLimited } from '../../../service/transfer/import/import'
import type { Answer } from '../answer'
import { confirm } from '../ask'
import type { Context } from '../context'
import type { Attachment } from '../discordInterface'
import type { Arguments } from '../grammar/matchCommand'
import { findOwn, noSystem, type Own, requireOwn } from '../ownSystem'
import { Refusal } from '../refusal'
import { showDashboard } from './accounts'
import { keepImportedPictures } from './pictures'

/** Largest file that every account may receive in a direct message. */
const MAX_FILE = 10 * 1024 * 1024

/** Sends the export to the account, or names the dashboard if it is too large. */
export async function runExport(context: Context): Promise<Answer> {
  const { texts, deps } = context
  const own = await requireOwn(context)
  requireTransfer(context)
  await context.defer()
  const { file, next } = await exportSystem(deps, own.viewer)
  if (file.byteLength > MAX_FILE || next) {
    const { content = '' } = await showDashboard(context)
    return { content: texts.exportTooLarge(content), isPrivate: true }
  }
  const answer: Answer = {
    content: texts.exportDone,
    files: [{ name: 'system.json', bytes: file }],
    isPrivate: true,
  }
  // An ephemeral message cannot be found again, so the file is sent as a direct message.
  if (context.via === 'text') return answer
  const isSent = await context.sendDirect(answer)
  return { content: isSent ? texts.checkDirect : texts.directFailed, isRefusal: !isSent }
}

/** Reads an attached file, shows what would be imported, and imports it when confirmed. */
export async function runImport(context: Context, { values }: Arguments): Promise<Answer> {
  const { texts, deps } = context
  const [file] = context.attachments
  if (!file)
    throw new Refusal(values.text === undefined ? texts.importNeedsFile : texts.importOpensNoLinks)
  if (file.size > context.settings.importLimit) throw new Refusal(texts.importTooLarge)
  requireTransfer(context)
  await context.defer()
  const own = await findOwn(context)
  if (!own && deps.quotas.registration !== 'open') throw noSystem(context)
  if (own) {
    const report = await importInto(context, own, file, { dryRun: true })
    return askImport(context, file, texts.confirmImport(summaryOf(report)))
  }
  const report = await countForNewSystem(context, file)
  const question = texts.confirmImportNew(report && summaryOf(report))
  return askImport(context, file, question, { allowsCopy: report === null })
}

/** Counts what a file would create. Returns null for a copy of a system of this server. */
async function countForNewSystem(context: Context, file: Attachment): Promise<Report | null> {
  return importAsNew(context, file, { dryRun: true }).catch((cause) => {
    if (cause instanceof DomainError && cause.kind === 'conflict') return null
    throw cause
  })
}

/** Asks before the file is imported: into the own system, or as a new one with the IDs of the file. */
function askImport(
  context: Context,
  file: Attachment,
  question: string,
  options: { readonly allowsCopy?: boolean } = {},
): Answer {
  const { texts } = context
  const asked = confirm(context, question, async (answering) => {
    const own = await findOwn(answering)
    const report = own
      ? await importInto(answering, own, file, { dryRun: false })
      : await importAsNew(answering, file, { ...options, dryRun: false })
    return { content: await describeImport(answering, report) }
  })
  const [yes, no] = asked.buttons ?? []
  if (!yes || !no) return asked
  return {
    ...asked,
    buttons: [
      { ...yes, label: texts.importLabel, style: 'success' },
      { ...no, label: texts.cancel },
    ],
  }
}

/** Sends the whole report as a direct message, and returns a summary for any channel. */
async function describeImport(context: Context, report: Report): Promise<string> {
  const { texts } = context
  const { token: _, ...shown } = report
  const { repairs, renamed, accounts } = shown
  const pictures = await keepImportedPictures(context, await requireOwn(context))
  const lines = [texts.imported(summaryOf(report)), ...(pictures === null ? [] : [pictures])]
  const others = accounts.filter(({ linked, id }) => !linked && id !== context.account)
  if (repairs.length + renamed.length + others.length === 0) return lines.join('\n')
  const isSent = await context.sendDirect({
    content: texts.importReport,
    files: [
      {
        name: 'import-report.json',
        bytes: new TextEncoder().encode(JSON.stringify(shown, null, 2)),
      },
    ],
  })
  const fields = [...new Set(repairs.map(({ field }) => field).filter(isFieldName))]
  return [
    ...lines,
    texts.importChanged({
      values: repairs.length,
      fields,
      ids: renamed.length,
      accounts: others.length,
    }),
    texts.reportSent(isSent),
  ].join('\n')
}

/** Returns whether a field is one of the file format, whose name is not private. */
function isFieldName(field: string): boolean {
  return /^[a-z_]{1,30}$/.test(field)
}

type Report = Awaited<ReturnType<typeof importLimited>>

const everything = { only: null, isPublic: false }

function importInto(
  { deps, discord, settings, account }: Context,
  own: Own,
  file: Attachment,
  options: { readonly dryRun: boolean },
): Promise<Report> {
  const bytes = discord.download(file, settings.importLimit)
  const all = { ...everything, ...options, link: new Set([account]) }
  return importLimited(deps, own.viewer, bytes, all, new AbortController().signal)
}

function importAsNew(
  { deps, discord, settings, account }: Context,
  file: Attachment,
  options: { readonly dryRun: boolean; readonly allowsCopy?: boolean },
): Promise<Report> {
  const bytes = discord.download(file, settings.importLimit)
  const all = { ...everything, ...options, owner: { account, invite: null } }
  return importForAccount(deps, discordBot, bytes, all, new AbortController().signal)
}

/** Counts without names, because the answer may be in a channel. */
function summaryOf({ members, groups, switches }: Report) {
  return { members, groups, switches }
}

function requireTransfer({ rateLimit, account, texts }: Context): void {
  if (rateLimit.takeTurn(account, 'transfer') === null) throw new Refusal(texts.slowDown)
}
