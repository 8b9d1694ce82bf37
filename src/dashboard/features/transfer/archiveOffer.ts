import { computed, signal } from '@preact/signals'
import { OFFER_KEY } from '../../core/drafts'
import { preferences } from '../../core/store'

/** Offer to convert archived rows, which Now shows until it is answered in this browser. */

/** Offer that was answered. With other numbers of rows it is another one. */
const answered = signal(readAnswered())

const offer = computed(() => JSON.stringify(preferences.value.archive?.convertible ?? []))

export const isOffered = computed(() => !['[]', answered.value].includes(offer.value))

export function answerOffer(): void {
  answered.value = offer.value
  try {
    localStorage.setItem(OFFER_KEY, offer.value)
  } catch {
    // Storage may be disabled; the answer then lasts until the page is closed.
  }
}

function readAnswered(): string | null {
  try {
    return localStorage.getItem(OFFER_KEY)
  } catch {
    return null
  }
}
