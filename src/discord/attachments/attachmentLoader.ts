import type { Upload } from '../rest/requestBody'
import { createByteBudget } from './byteBudget'
import { type DownloadOptions, downloadFile } from './download'

/** Fields of Discord's attachment that are carried over. */
export interface SourceAttachment {
  readonly url: string
  readonly filename: string
  readonly size: number
  readonly content_type?: string | undefined
  readonly description?: string | null | undefined
  readonly duration_secs?: number | undefined
  readonly waveform?: string | undefined
  readonly flags?: number | undefined
}

export interface AttachmentLoader {
  /**
   * Downloads attachments and passes them to `work`. Their bytes count towards the budget until the
   * work ends, so that uploads are included; messages over the budget wait.
   */
  load<T>(
    attachments: readonly SourceAttachment[],
    work: (uploads: readonly Upload[]) => Promise<T>,
  ): Promise<T>
}

/** Bytes of attachments in memory at a time. */
export const ATTACHMENT_BUDGET = 64 * 1024 * 1024

const IS_SPOILER = 1 << 3
/** Discord hides an upload as a spoiler by the start of its name. */
const SPOILER = 'SPOILER_'

export function createAttachmentLoader(
  options: DownloadOptions,
  budgetBytes = ATTACHMENT_BUDGET,
): AttachmentLoader {
  const budget = createByteBudget(budgetBytes)
  const download = async (source: SourceAttachment): Promise<Upload> => {
    const file = await downloadFile(source.url, source.size, options)
    return {
      data: source.content_type ? file.slice(0, file.size, source.content_type) : file,
      attachment: describeAttachment(source),
    }
  }
  return {
    load(attachments, work) {
      if (attachments.length === 0) return work([])
      const bytes = attachments.reduce((sum, { size }) => sum + size, 0)
      return budget.reserve(bytes, async () => work(await Promise.all(attachments.map(download))))
    },
  }
}

function describeAttachment(source: SourceAttachment): Upload['attachment'] {
  const { filename, description, duration_secs, waveform, flags = 0 } = source
  const isHidden = (flags & IS_SPOILER) !== 0 && !filename.startsWith(SPOILER)
  return {
    filename: isHidden ? `${SPOILER}${filename}` : filename,
    ...(description && { description }),
    ...(duration_secs !== undefined && { duration_secs }),
    ...(waveform !== undefined && { waveform }),
  }
}
