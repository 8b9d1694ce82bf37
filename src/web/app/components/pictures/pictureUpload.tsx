import { useState } from 'preact/hooks'
import { pictureNamesIn } from '../../../../model/ext/picture'
import { showToast } from '../../actions'
import { requestOwn } from '../../api'
import { decodePicture } from '../../pictures/encode'
import { explainPicture } from '../../pictures/explain'
import { isOffline } from '../../store'
import { pictureStrings } from '../../strings'
import { useAction } from '../../useAction'
import { ProblemText } from '../problemText'
import { CropSheet } from './cropSheet'

interface Props {
  /** Path of the extension API that names what the picture is of. */
  path: string
  /** URL that is in the form. */
  url: string | null
  onStored: (url: string | null) => void
}

/** Buttons that choose, take and remove a picture. */
export function PictureUpload({ path, url, onStored }: Props) {
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
    close()
    showToast({ text: pictureStrings.isSaved })
  }
  const remove = () =>
    run(async () => {
      await requestOwn(`ext/v1/${path}/picture`, { method: 'DELETE' })
      onStored(null)
      showToast({ text: pictureStrings.isRemoved })
    })
  return (
    <div aria-busy={isBusy}>
      <div class="row">
        <ChooseButton label={pictureStrings.choose} onFile={open} />
        {matchMedia('(pointer: coarse)').matches && (
          <ChooseButton label={pictureStrings.takePhoto} isPhoto onFile={open} />
        )}
        {url !== null && pictureNamesIn(url).length > 0 && (
          <button type="button" aria-disabled={isOffline.value} onClick={remove}>
            {pictureStrings.remove}
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
