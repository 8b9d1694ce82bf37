import { useState } from 'preact/hooks'
import { pictureNamesIn } from '../../../../model/ext/picture'
import { showToast } from '../../actions'
import { requestOwn } from '../../api'
import { decodePicture } from '../../pictures/encode'
import { explainPicture } from '../../pictures/explain'
import { isOffline } from '../../store'
import { pictureStrings, strings } from '../../strings'
import { useAction } from '../../useAction'
import { ProblemText } from '../problemText'
import { CropSheet } from './cropSheet'

interface Props {
  /** Path of the extension API that names what the picture is of. */
  path: string
  /** Key of the URL. */
  name: string
  /** URL that is in the form. */
  url: string | null
  onStored: (url: string | null) => void
}

/** Buttons that choose, take and remove a picture, and take back the removal. */
export function PictureUpload({ path, name, url, onStored }: Props) {
  /** URL of the picture that was removed last; the server keeps it for a day. */
  const [removed, setRemoved] = useState<string | null>(null)
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
  const save = async (file: Blob) => {
    const target = `ext/v1/${path}/picture`
    const stored = await requestOwn<{ url: string }>(target, { method: 'PUT', file })
    if (stored) onStored(stored.url)
    setRemoved(null)
    close()
    showToast({ text: pictureStrings.isSaved })
  }
  const remove = () =>
    run(async () => {
      await requestOwn(`ext/v1/${path}/picture`, { method: 'DELETE' })
      onStored(null)
      setRemoved(url)
      showToast({ text: pictureStrings.isRemoved })
    })
  const restore = (former: string) =>
    run(async () => {
      await requestOwn(`v2/${path}`, { method: 'PATCH', body: { [name]: former } })
      onStored(former)
      setRemoved(null)
      showToast({ text: strings.isUndone })
    })
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
