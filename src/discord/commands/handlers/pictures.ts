import { DomainError } from '../../../model/core/errors'
import {
  keepForeignPicture,
  keepPicture,
  listForeignPictures,
} from '../../../service/pictures/keptPictures'
import { DownloadError } from '../../attachments/download'
import type { Context } from '../context'
import type { Attachment } from '../discordInterface'
import { type Own, requireOwn } from '../ownSystem'
import { parseAccount } from '../references'
import { Refusal } from '../refusal'

/** Address of a picture, and a warning if the picture ends with its source. */
export interface Picture {
  readonly url: string
  readonly warning: string | null
}

/** Reads the picture for a field: the given address, an upload, or the avatar of an account. */
export async function readPicture(context: Context, text: string | undefined): Promise<Picture> {
  const { texts, discord, attachments } = context
  const [upload] = attachments
  if (text === undefined && upload) return readUpload(context, upload)
  const account = parseAccount(text ?? '')
  if (account === null)
    return { url: (text ?? '').trim().replace(/^<(.*)>$/s, '$1'), warning: null }
  const profile = await discord.findAccount(account)
  if (!profile?.avatarUrl) throw new Refusal(texts.accountHasNoAvatar)
  return keep(context, profile.avatarUrl, 'avatar')
}

/** Copies an uploaded picture. */
export async function readUpload(context: Context, upload: Attachment): Promise<Picture> {
  if (!upload.contentType?.startsWith('image/')) throw new Refusal(context.texts.notAnImage)
  return keep(context, upload.url, 'message')
}

/** Copies a picture into the store of the server, or explains why it stays where it is. */
async function keep(
  context: Context,
  address: string,
  source: 'message' | 'avatar',
): Promise<Picture> {
  const { deps, discord, settings, texts } = context
  // The signature in the query expires; Discord adds a new one when it shows the picture.
  const url = address.replace(/\?.*$/s, '')
  const stays = (reason: string) => ({ url, warning: texts.pictureStays(source, reason) })
  if (settings.publicUrl === '') return stays(texts.noPictureStore)
  const own = await requireOwn(context)
  await context.defer()
  try {
    const bytes = await discord.downloadPicture(address)
    return { url: await keepPicture(deps, own.viewer, bytes), warning: null }
  } catch (cause) {
    const reason = reasonOf(context, cause)
    if (reason === null) throw cause
    return stays(reason)
  }
}

/** Returns why a picture was not copied; null for a failure that is no answer about the picture. */
function reasonOf({ texts }: Context, cause: unknown): string | null {
  if (cause instanceof DownloadError)
    return cause.reason === 'too_large' ? texts.pictureTooLarge : texts.pictureNotDownloaded
  if (!(cause instanceof DomainError)) return null
  if (cause.kind === 'limitReached') return texts.picturesFull
  return cause.kind === 'badRequest' ? texts.pictureUnreadable : null
}

/** Longest time for the pictures of an import, so that none takes the place of others for long. */
const IMPORT_MS = 10 * 60_000

/**
 * Copies the pictures of the own system that are on Discord's CDN in the background, and reports to
 * the account. If the process ends meanwhile, the others keep their addresses. Returns what to say.
 */
export async function keepImportedPictures(context: Context, own: Own): Promise<string | null> {
  const { deps, discord, settings, texts, account } = context
  const pictures = await listForeignPictures(deps, own.viewer, discord.cdn)
  if (pictures.length === 0) return null
  if (settings.publicUrl === '') return texts.picturesStay(pictures.length, texts.noPictureStore)
  discord.inBackground('pictures of an import', async (isStopped) => {
    const end = deps.clock.monotonic() + IMPORT_MS
    let kept = 0
    for (const picture of pictures) {
      if (isStopped() || deps.clock.monotonic() >= end) break
      try {
        await keepForeignPicture(
          deps,
          own.viewer,
          picture,
          await discord.downloadPicture(picture.url),
        )
        kept++
      } catch (cause) {
        if (reasonOf(context, cause) === null) throw cause
        if (cause instanceof DomainError && cause.kind === 'limitReached') break
      }
    }
    if (!isStopped())
      await discord.sendDirect(account, {
        content: texts.picturesCopied(kept, pictures.length - kept),
      })
  })
  return texts.picturesCopying(pictures.length)
}
