import { DomainError } from '../../../model/errors'
import { discordBot } from '../../../model/privacy'
import { createSystem } from '../../../service/registration'
import { actFor, deleteSystem } from '../../../service/systems'
import { exportSystem } from '../../../service/transfer/export'
import { importForAccount, importLimited } from '../../../service/transfer/import'
import type { Answer } from '../answer'
import { confirm } from '../ask'
import type { Context } from '../context'
import type { Attachment } from '../discordSide'
import { findOwn, type Own, requireOwn } from '../ownSystem'
import { Refusal } from '../refusal'
import { showDashboard } from './accounts'

/** Largest file that every account may receive in a direct message. */
const MAX_FILE = 10 * 1024 * 1024

/** Sends the export to the account, or names the dashboard if it is too large. */
export async function runExport(context: Context): Promise<Answer> {
  const { texts, deps } = context
  const own = await requireOwn(context)
  requireTransfer(context)
  await context.defer()
  const { file, hasMore } = await exportSystem(deps, own.viewer)
  if (file.byteLength > MAX_FILE || hasMore) {
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
export async function runImport(context: Context): Promise<Answer> {
  const { texts, deps } = context
  const [file] = context.attachments
  if (!file) throw new Refusal(texts.importNeedsFile)
  if (file.size > context.settings.importLimit) throw new Refusal(texts.importTooLarge)
  requireTransfer(context)
  await context.defer()
  const own = await findOwn(context)
  if (!own && deps.quotas.registration !== 'open') throw new Refusal(texts.noSystem)
  if (own) {
    const report = await read(context, own, file, true)
    return askImport(context, file, texts.confirmImport(summaryOf(report)))
  }
  const report = await countForNewSystem(context, file)
  return askImport(context, file, texts.confirmImportNew(report && summaryOf(report)))
}

/** Counts what a file would create. Returns null for a copy of a system of this server. */
async function countForNewSystem(context: Context, file: Attachment): Promise<Report | null> {
  const { deps, discord, settings, account } = context
  const owner = { account, invite: null }
  const options = { dryRun: true, only: null, isPublic: false, owner }
  const bytes = discord.download(file, settings.importLimit)
  const { signal } = new AbortController()
  return importForAccount(deps, discordBot, bytes, options, signal).catch((cause) => {
    if (cause instanceof DomainError && cause.kind === 'conflict') return null
    throw cause
  })
}

function askImport(context: Context, file: Attachment, question: string): Answer {
  const { texts, deps } = context
  const asked = confirm(context, question, async (answering) => {
    const found = await findOwn(answering)
    const own = found ?? (await createOwn(answering))
    try {
      return { content: texts.imported(summaryOf(await read(answering, own, file, false))) }
    } catch (cause) {
      // A file that cannot be imported leaves no empty system behind.
      if (!found) await deleteSystem(deps, own.viewer)
      throw cause
    }
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

async function createOwn({ deps, account }: Context): Promise<Own> {
  const registration = { account, tokenName: 'bot' }
  const { system } = await createSystem(deps, discordBot, { name: null }, registration)
  return actFor(deps, discordBot, system.hid)
}

type Report = Awaited<ReturnType<typeof importLimited>>

function read(context: Context, own: Own, file: Attachment, dryRun: boolean): Promise<Report> {
  const { deps, discord, settings, account } = context
  const bytes = discord.download(file, settings.importLimit)
  const options = { dryRun, only: null, isPublic: false, link: new Set([account]) }
  return importLimited(deps, own.viewer, bytes, options, new AbortController().signal)
}

/** Counts without names, because the answer may be in a channel. */
function summaryOf({ members, groups, switches }: Report) {
  return { members, groups, switches }
}

function requireTransfer({ rateLimit, account, texts }: Context): void {
  if (rateLimit.request(account, 'transfer') !== 'run') throw new Refusal(texts.slowDown)
}
