import { useState } from 'preact/hooks'
import { parseInstant } from '../../../model/core/time'
import type { ProxyTag } from '../../../model/core/validation'
import { matchTags } from '../../../model/proxy/tags'
import type { Member } from '../../api/types'
import { isCaseSensitive, members } from '../../core/store'
import { editStrings } from '../../texts/texts'
import { Avatar } from '../../ui/avatar'
import { Icon } from '../../ui/icon'
import { ProblemText } from '../../ui/problemText'
import type { Form } from './form'
import { labelOf } from './formPage'
import { Guard } from './lines'

export function TagsField({ form, name }: { form: Form; name: string }) {
  const tags = form.values[name] as readonly ProxyTag[]
  const change = (changed: number, patch: Partial<ProxyTag>) =>
    form.change(
      name,
      tags.map((tag, index) => (index === changed ? { ...tag, ...patch } : tag)),
    )
  return (
    <fieldset class="choice line wide-line">
      <legend class="unseen">{labelOf(name, form)}</legend>
      <div class="line-head">
        <span class="label" aria-hidden="true">
          {labelOf(name, form)}
        </span>
        <Guard form={form} name={name} />
      </div>
      {tags.length === 0 && <p class="quiet">{editStrings.noTags}</p>}
      {tags.map((tag, index) => (
        <fieldset class="tag-row" key={index} aria-label={editStrings.proxyTag(index + 1)}>
          {(['prefix', 'suffix'] as const).map((half) => (
            <label class="field" key={half}>
              {half === 'prefix' ? editStrings.prefix : editStrings.suffix}
              <input
                value={tag[half] ?? ''}
                dir="auto"
                autocomplete="off"
                spellcheck={false}
                autocapitalize="off"
                aria-invalid={name in form.problems}
                aria-describedby={`problem-${name}`}
                onInput={(event) => change(index, { [half]: event.currentTarget.value })}
              />
            </label>
          ))}
          <button
            type="button"
            class="round"
            aria-label={editStrings.removeTag(index + 1)}
            onClick={() =>
              form.change(
                name,
                tags.filter((_, other) => other !== index),
              )
            }
          >
            <Icon name="close" />
          </button>
        </fieldset>
      ))}
      <ProblemText id={`problem-${name}`} text={form.problems[name] ?? ''} />
      <div>
        <button
          type="button"
          onClick={() => form.change(name, [...tags, { prefix: '', suffix: '' }])}
        >
          <Icon name="plus" />
          {editStrings.addTag}
        </button>
      </div>
    </fieldset>
  )
}

/** Shows which member a typed message would be proxied as, by the same rule that bots use. */
export function TryTags({ member, form }: { member: Member; form: Form }) {
  const [typed, setTyped] = useState('')
  const tags = form.values.proxy_tags as readonly ProxyTag[]
  const example = tags.find(({ prefix, suffix }) => prefix || suffix)
  const match =
    typed.trim() === '' ? null : findSpeaker(typed, { ...member, proxy_tags: [...tags] })
  const isKept =
    match?.member.uuid === member.uuid ? form.values.keep_proxy : match?.member.keep_proxy
  return (
    <div class="line wide-line">
      <label for="try-it">{editStrings.tryIt}</label>
      <input
        id="try-it"
        dir="auto"
        autocomplete="off"
        value={typed}
        placeholder={editStrings.tryHint(
          `${example?.prefix ?? 'w:'}${editStrings.hello}${example?.suffix ?? ''}`,
        )}
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
      <div role="status">
        {typed.trim() !== '' &&
          (match ? (
            <div class="someone note">
              <Avatar of={match.member} size="s" />
              <span class="about">
                <b>{editStrings.says(match.member.display_name || match.member.name)}</b>{' '}
                <span>{isKept ? typed.trim() : match.content.trim()}</span>
              </span>
            </div>
          ) : (
            <p class="quiet">{editStrings.noMatch}</p>
          ))}
      </div>
    </div>
  )
}

/** Matches among all members in order of creation: the longest tag wins, then the oldest member. */
function findSpeaker(typed: string, edited: Member) {
  const all = members.value
    .map((member) => (member.uuid === edited.uuid ? edited : member))
    .map((one) => ({ one, since: parseInstant(one.created ?? '') ?? 0 }))
    .sort((a, b) => a.since - b.since)
    .map(({ one }) => one)
  const match = matchTags(all, typed.trim(), isCaseSensitive.value)
  // A match without content is not proxied.
  return match && match.content.trim() !== '' ? match : null
}
