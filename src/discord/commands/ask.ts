import type { Answer } from './answer'
import type { Context, PromptResult } from './context'
import { findOwn } from './ownSystem'
import { Refusal } from './refusal'

const CONFIRM_MINUTES = 5
const PAGES_MINUTES = 15

/** Asks *Yes* or *No* before something is done. Both can be pressed or typed. */
export function confirm(
  context: Context,
  question: string,
  run: (context: Context) => Promise<Answer>,
  account: string = context.account,
): Answer {
  const { texts, prompts, channel } = context
  const requireSame = rememberSystem(context)
  const decide = async (answering: Context, isYes: boolean): Promise<PromptResult> => {
    if (!isYes) return { answer: { content: texts.cancelled, replaces: true } }
    if (account === context.account) await requireSame(answering)
    return { answer: { ...(await run(answering)), replaces: true } }
  }
  const idOf = prompts.open(
    {
      account,
      minutes: CONFIRM_MINUTES,
      onPress: (answering, action) => decide(answering, action === 'yes'),
      onText: async (answering, text) => {
        const isYes = texts.typedYes.includes(text.trim().toLowerCase())
        const isNo = texts.typedNo.includes(text.trim().toLowerCase())
        if (!isYes && !isNo) return null
        const { answer } = await decide(answering, isYes)
        return { answer: { ...answer, replaces: false } }
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

/** Asks for a text, such as an ID, before something is deleted. An interaction asks in a modal. */
export function confirmTyped(
  context: Context,
  question: string,
  expected: string,
  run: (context: Context) => Promise<Answer>,
): Answer {
  const { texts, prompts, channel } = context
  const requireSame = rememberSystem(context)
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
      onPress: async (answering, action, fields) =>
        action === 'typed'
          ? decide(answering, fields.confirmation ?? '')
          : { answer: { content: texts.cancelled, replaces: true } },
      onText: decide,
    },
    channel,
  )
  if (context.via === 'interaction')
    return {
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
    }
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
  const idOf = async (one: Context) => (await findOwn(one))?.system.id ?? null
  // A failed read is reported when the question is answered, and not as an unhandled rejection.
  const asked = idOf(context).catch(() => undefined)
  return async (answering) => {
    if ((await asked) !== (await idOf(answering))) throw new Refusal(context.texts.promptExpired)
  }
}
