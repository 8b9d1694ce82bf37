import { isOffline } from '../core/store'
import { listStrings, strings } from '../texts/texts'
import { ProblemText } from './problemText'
import { SubmitButton } from './submitButton'

interface Props {
  /** Adds something; otherwise what exists is changed. */
  isNew: boolean
  isBusy: boolean
  /** Problem of the last attempt; '' without one. */
  problem: string
  /** Absent if it cannot be deleted here. */
  onDelete?: (() => void) | undefined
}

/** End of a form in a sheet: the problem, a button that saves, and one that deletes. */
export function SaveButtons({ isNew, isBusy, problem, onDelete }: Props) {
  return (
    <>
      <ProblemText text={problem} />
      <SubmitButton isBusy={isBusy}>{isNew ? listStrings.add : strings.save}</SubmitButton>
      {onDelete && (
        <button
          type="button"
          class="danger"
          aria-disabled={isOffline.value}
          onClick={() => isOffline.value || onDelete()}
        >
          {strings.delete}
        </button>
      )}
    </>
  )
}
