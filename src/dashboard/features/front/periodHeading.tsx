import { Icon } from '../../ui/icon'

interface Props {
  title: string
  previous: string
  next: string
  onPrevious: () => void
  /** Null for the newest period. */
  onNext: (() => void) | null
}

/** Heading of a day or a month, between buttons to the previous and the next one. */
export function PeriodHeading({ title, previous, next, onPrevious, onNext }: Props) {
  return (
    <header class="period">
      <button type="button" class="round" aria-label={previous} onClick={onPrevious}>
        <Icon name="back" />
      </button>
      <h2 aria-live="polite">{title}</h2>
      <button
        type="button"
        class="round"
        aria-label={next}
        aria-disabled={onNext === null}
        onClick={() => onNext?.()}
      >
        <Icon name="forth" />
      </button>
    </header>
  )
}
