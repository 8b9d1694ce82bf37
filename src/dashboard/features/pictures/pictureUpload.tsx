import { useState } from 'preact/hooks'
import { pictureNamesIn } from '../../../model/pictures/picture'
import { fetchResponse, request } from '../../api/client'
import { pictureFilePath, picturePath } from '../../api/resources'
import { showToast } from '../../core/actions'
import { isOffline } from '../../core/store'
import { useAction } from '../../core/useAction'
import { pictureStrings, strings } from '../../texts/texts'
import { ProblemText } from '../../ui/problemText'
import { CropSheet } from './cropSheet'
import { decodePicture } from './encode'
import { explainPicture } from './explain'

interface Props {
  /** Path of the extension API that names what the picture is of. */
  path: string
  /** URL that is in the form. */
  url: string | null
  onStored: (url: string | null) => void
}

/** Buttons that choose, take and remove a picture, and take back the removal. */
export function PictureUpload({ path, url, onStored }: Props) {
  /** Picture that was removed last. The server deletes it at once. */
  const [removed, setRemoved] = useState<Blob | null>(null)
  const [picture, setPicture] = useState<ImageBitmap | null>(null)
  const { run, problem, setProblem, isBusy } = useAction({ explain: explainPicture })
  const open = (file: File | undefined) =>
    run(async () => {
      if (!file) return
      const decoded = await decodePicture(new Uint8Array(await file.arrayBuffer()))
      if (decoded) setPicture(decoded)
      else setProblem(pictureStrings.notPicture)
    })
  const close = () => {
    picture?.close()
    setPicture(null)
  }
  const send = async (file: Blob, text: string) => {
    const stored = await request(picturePath(path), { method: 'PUT', file })
    if (stored) onStored(stored.url)
    setRemoved(null)
    showToast({ text })
  }
  const save = async (file: Blob) => {
    await send(file, pictureStrings.isSaved)
    close()
  }
  const remove = () =>
    run(async () => {
      const file = await readPicture(url)
      await request(picturePath(path), { method: 'DELETE' })
      onStored(null)
      setRemoved(file)
      showToast({ text: pictureStrings.isRemoved })
    })
  const restore = (former: Blob) => run(() => send(former, strings.isUndone))
  const canRemove = url !== null && pictureNamesIn(url).length > 0
  const canRestore = url === null && removed !== null
  return (
    <div aria-busy={isBusy}>
      <div class="row">
        <ChooseButton label={pictureStrings.choose} onFile={open} />
        {matchMedia('(pointer: coarse)').matches && (
          <ChooseButton label={pictureStrings.takePhoto} isPhoto onFile={open} />
        )}
        {/* One button, so that it keeps the focus. */}
        {(canRemove || canRestore) && (
          <button
            type="button"
            aria-disabled={isOffline.value}
            onClick={() => (canRestore ? restore(removed) : remove())}
          >
            {canRestore ? strings.undo : pictureStrings.remove}
          </button>
        )}
      </div>
      <ProblemText text={problem} />
      {picture && <CropSheet picture={picture} onSave={save} onClose={close} />}
    </div>
  )
}

/** Reads a picture of this server, to send it again; null if it is there no more. */
async function readPicture(url: string | null): Promise<Blob | null> {
  // The page may read only from its own server, whose public address may be another one.
  const file = /[\w-]+\.\w+(?=$|[?#])/.exec(url ?? '')?.[0]
  try {
    return file === undefined ? null : await (await fetchResponse(pictureFilePath(file))).blob()
  } catch {
    return null
  }
}

interface ChooseProps {
  label: string
  /** Opens the camera instead of the files. */
  isPhoto?: boolean
  onFile: (file: File | undefined) => void
}

/** File input styled as a button. */
function ChooseButton({ label, isPhoto, onFile }: ChooseProps) {
  return (
    <label class="button file">
      {label}
      <input
        type="file"
        class="unseen"
        accept="image/png,image/jpeg,image/webp,image/gif"
        {...(isPhoto && { capture: 'user' })}
        onChange={({ currentTarget }) => {
          onFile(currentTarget.files?.[0])
          currentTarget.value = ''
        }}
      />
    </label>
  )
}
