import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { ProxyTag } from '../../model/core/validation'
import { showToast } from '../core/actions'
import { appearance } from '../core/appearance'
import { copyText } from '../lib/copy'
import { memberStrings, moreStrings } from '../texts/texts'
import { Avatar, tint } from './avatar'

interface ProfileSubject {
  readonly name: string
  readonly display_name: string | null
  readonly color: string | null
  readonly banner: string | null
}

interface HeadProps {
  of: ProfileSubject
  picture: string | null
  /** The page heading, shown beside the avatar. */
  children: ComponentChildren
}

/** Banner, or a wash of the colour, with the avatar in front. */
export function ProfileHead({ of, picture, children }: HeadProps) {
  const [broken, setBroken] = useState<string | null>(null)
  const banner = appearance.value.pictures === 'all' && of.banner !== broken ? of.banner : null
  return (
    <div class="profile tinted" style={tint(of.color)}>
      <div class="wash">
        {banner && <img alt="" src={banner} onError={() => setBroken(banner)} />}
      </div>
      <div class="head">
        <Avatar of={{ ...of, avatar_url: picture }} size="xl" />
        {children}
      </div>
    </div>
  )
}

export function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

export function ProxyTags({ tags }: { tags: readonly ProxyTag[] }) {
  return (
    <span class="chips">
      {tags.map(({ prefix, suffix }) => (
        <code key={`${prefix} ${suffix}`}>
          {prefix}
          <span class="quiet">{memberStrings.text}</span>
          {suffix}
        </code>
      ))}
    </span>
  )
}

export function CopyId({ id }: { id: string }) {
  const copy = async () => {
    if (!(await copyText(id))) return
    showToast({ text: moreStrings.copied })
  }
  return (
    <Fact name={memberStrings.id}>
      <span class="copying">
        <code>{id}</code>
        <button type="button" class="plain" aria-label={memberStrings.copyId} onClick={copy}>
          {moreStrings.copy}
        </button>
      </span>
    </Fact>
  )
}
