import type { Texts } from '../text/texts'
import type { Answer } from './answer'
import type { Context, PromptResult } from './context'
import { findOwn } from './ownSystem'
import { Refusal } from './refusal'

const CONFIRM_MINUTES = 5
const PAGES_MINUTES = 15
const UNDO_MINUTES = 15

/** Asks *Yes* or *No* before something is done. Both can be pressed or typed. */
export function confirm(
  context: Context,
  question: string,
  run: (context: Context) => Promise<Answer>,
  account: string = context.account,
): Answer {
  const { texts, prompts, channel } = context
  const requireSame = rememberSystem(context)
  const isYes = (text: string) => texts.typedYes.includes(text.trim().toLowerCase())
  const isNo = (text: string) => texts.typedNo.includes(text.trim().toLowerCase())
  const decide = async (answering: Context, isSure: boolean): Promise<PromptResult> => {
    if (!isSure) return { answer: { content: texts.cancelled, replaces: true } }
    if (account === context.account) await requireSame(answering)
    return { answer: { ...(await run(answering)), replaces: true } }
  }
  const idOf = prompts.open(
    {
      account,
      minutes: CONFIRM_MINUTES,
      onPress: (answering, action) => decide(answering, action === 'yes'),
      typed: {
        accepts: (text) => isYes(text) || isNo(text),
        async run(answering, text) {
          const { answer } = await decide(answering, isYes(text))
          return { answer: { ...answer, replaces: false } }
        },
      },
    },
    channel,
  )
  return {
    content: question,
    buttons: [
      { id: idOf('yes'), label: texts.yes, style: 'danger' },
      { id: idOf('no'), label: texts.no, style: 'secondary' },
    ],
    ...(account !== context.account && { pings: account }),
  }
}

/** Adds a button that takes the change back. */
export function offerUndo(
  context: Context,
  answer: Answer,
  restore: () => Promise<Answer>,
): Answer {
  const { texts, prompts, channel, account } = context
  const requireSame = rememberSystem(context)
  const idOf = prompts.open(
    {
      account,
      minutes: UNDO_MINUTES,
      async onPress(answering) {
        await requireSame(answering)
        return { answer: { ...(await restore()), replaces: true } }
      },
    },
    channel,
  )
  return { ...answer, buttons: [{ id: idOf('undo'), label: texts.undo, style: 'secondary' }] }
}

/** Something that can be done before a question is answered, such as an export. */
interface Offer {
  readonly label: string
  readonly run: (context: Context) => Promise<Answer>
}

/**
 * Asks for a text, such as an ID, before something is deleted. An interaction asks in a form; with an
 * offer, after a message that makes it.
 */
export function confirmTyped(
  context: Context,
  question: string,
  expected: string,
  run: (context: Context) => Promise<Answer>,
  offer?: Offer,
): Answer {
  const { texts, prompts, channel } = context
  const requireSame = rememberSystem(context)
  const isForm = context.via === 'interaction'
  const normalize = (text: string) => text.trim().toLowerCase().replaceAll('-', '')
  const decide = async (answering: Context, typed: string): Promise<PromptResult> => {
    if (normalize(typed) !== normalize(expected))
      return { answer: { content: texts.wrongConfirmation, isRefusal: true } }
    await requireSame(answering)
    return { answer: await run(answering) }
  }
  const idOf = prompts.open(
    {
      account: context.account,
      minutes: CONFIRM_MINUTES,
      onPress: async (answering, action, fields) => {
        if (action === 'typed') return decide(answering, fields.confirmation ?? '')
        if (action === 'form') return { answer: form(), staysOpen: true }
        if (action === 'offer' && offer)
          return { answer: await orRefusal(texts, offer.run(answering)), staysOpen: true }
        return { answer: { content: texts.cancelled, replaces: true } }
      },
      // After an interaction, messages in the channel are not answers: it asks in a form.
      ...(!isForm && { typed: { accepts: () => true, run: decide } }),
    },
    channel,
  )
  const form = (): Answer => ({
    modal: {
      id: idOf('typed'),
      title: texts.confirmTitle,
      fields: [
        {
          id: 'confirmation',
          label: texts.typeToConfirm(expected),
          value: '',
          isLong: false,
          isRequired: true,
          maxLength: 20,
        },
      ],
    },
  })
  if (isForm && !offer) return form()
  return {
    content: question,
    buttons: [
      ...(offer ? [{ id: idOf('offer'), label: offer.label, style: 'primary' } as const] : []),
      ...(isForm ? [{ id: idOf('form'), label: texts.deleteLabel, style: 'danger' } as const] : []),
      { id: idOf('no'), label: texts.cancel, style: 'secondary' },
    ],
  }
}

/** Turns a refusal into its answer, so that the question before it stays open. */
async function orRefusal(texts: Texts, answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause
    return { content: texts.refusal(cause.message), isRefusal: true }
  }
}

/** Asks for a text that the account types, such as an invite code. */
export function askText(
  { texts, prompts, channel, account }: Context,
  question: string,
  run: (text: string) => Promise<Answer>,
): Answer {
  const idOf = prompts.open(
    {
      account,
      minutes: CONFIRM_MINUTES,
      onPress: async () => ({ answer: { content: texts.cancelled, replaces: true } }),
      typed: {
        accepts: () => true,
        run: async (_, text) => ({ answer: await run(text.trim()) }),
      },
    },
    channel,
  )
  return {
    content: question,
    buttons: [{ id: idOf('no'), label: texts.cancel, style: 'secondary' }],
  }
}

/** Shows one page at a time, with buttons for the account that asked. */
export function paginate(
  context: Context,
  count: number,
  render: (page: number) => Answer,
): Answer {
  if (count <= 1) return render(0)
  let page = 0
  const show = (): Answer => ({
    ...render(page),
    buttons: [
      { id: idOf('back'), label: '◀', style: 'secondary' },
      { id: idOf('next'), label: '▶', style: 'secondary' },
    ],
  })
  const idOf = context.prompts.open(
    {
      account: context.account,
      minutes: PAGES_MINUTES,
      onPress: async (_, action) => {
        page = (page + (action === 'back' ? count - 1 : 1)) % count
        return { answer: { ...show(), replaces: true }, staysOpen: true }
      },
    },
    context.channel,
  )
  return show()
}

/**
 * Remembers the system of the account. The returned function throws if the account is no longer
 * linked to it, because the account may be unlinked before a question is answered.
 */
function rememberSystem(context: Context): (answering: Context) => Promise<void> {
  const idOf = async (context: Context) => (await findOwn(context))?.system.id ?? null
  // A failed read is reported when the question is answered, and not as an unhandled rejection.
  const asked = idOf(context).catch(() => undefined)
  return async (answering) => {
    if ((await asked) !== (await idOf(answering))) throw new Refusal(context.texts.promptExpired)
  }
}
