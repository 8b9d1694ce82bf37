import { useEffect, useRef, useState } from 'preact/hooks'
import { useAction } from '../../core/useAction'
import { pictureStrings, strings } from '../../texts/texts'
import { Form } from '../../ui/form/textField'
import { ProblemText } from '../../ui/problemText'
import { Sheet } from '../../ui/sheet'
import { type Crop, centered, MAX_ZOOM } from './crop'
import { useCropGestures } from './cropGestures'
import { drawCropped, encodePicture, SIDE } from './encode'
import { explainPicture } from './explain'

interface Props {
  picture: ImageBitmap
  onSave: (encoded: Blob) => Promise<void>
  onClose: () => void
}

/** Sliders of the part that is shown, for keyboards. */
const sliders = [
  { key: 'zoom', label: 'zoom', min: 1, max: MAX_ZOOM },
  { key: 'x', label: 'leftRight', min: 0, max: 1 },
  { key: 'y', label: 'upDown', min: 0, max: 1 },
] as const

/** Chooses the square part of a picture, and saves it. */
export function CropSheet({ picture, onSave, onClose }: Props) {
  const [crop, setCrop] = useState<Crop>(centered)
  const canvas = useRef<HTMLCanvasElement>(null)
  const gestures = useCropGestures(picture, setCrop)
  const { onSubmit, problem, isBusy } = useAction({ explain: explainPicture })
  useEffect(() => {
    if (canvas.current) drawCropped(canvas.current, picture, crop)
  }, [picture, crop])
  return (
    <Sheet heading={pictureStrings.crop} onClose={onClose}>
      <Form
        class="lines"
        onSubmit={onSubmit(async () => onSave(await encodePicture(picture, crop)))}
      >
        <canvas
          ref={canvas}
          class="shown-picture cropped"
          width={SIDE}
          height={SIDE}
          role="img"
          aria-label={pictureStrings.cropped}
          // The page must not scroll while the picture is dragged.
          style={{ touchAction: 'none', cursor: 'move' }}
          {...gestures}
        />
        <p class="quiet small">{pictureStrings.cropMore}</p>
        {sliders.map(({ key, label, min, max }) => (
          <label key={key} class="line">
            {pictureStrings[label]}
            <input
              type="range"
              min={min}
              max={max}
              step={0.01}
              value={crop[key]}
              onInput={({ currentTarget }) =>
                setCrop({ ...crop, [key]: currentTarget.valueAsNumber })
              }
            />
          </label>
        ))}
        <p class="quiet small">{pictureStrings.publicMore}</p>
        <div class="sheet-foot">
          <ProblemText text={problem} />
          <button type="submit" class="main" aria-busy={isBusy || undefined}>
            {strings.save}
          </button>
        </div>
      </Form>
    </Sheet>
  )
}
