import type { ComponentChild } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { type Block, elements, type Inline, type Item, parseMarkdown } from '../lib/markdown'
import { strings } from '../texts/texts'

export function Markdown({ text }: { text: string }) {
  return <div class="prose">{parseMarkdown(text).map(renderBlock)}</div>
}

function renderBlock(block: Block, key: number): ComponentChild {
  if (block.kind === 'code')
    return (
      <pre key={key}>
        <code>{block.text}</code>
      </pre>
    )
  if (block.kind === 'list') {
    const items = block.items.map(renderItem)
    return block.isOrdered ? <ol key={key}>{items}</ol> : <ul key={key}>{items}</ul>
  }
  const Tag = elements[block.kind]
  if (block.kind === 'quote') return <Tag key={key}>{block.inside.map(renderBlock)}</Tag>
  const size = block.kind === 'heading' ? { class: `size-${block.size}` } : {}
  return (
    <Tag key={key} {...size}>
      {block.inside.map(renderInline)}
    </Tag>
  )
}

function renderItem({ number, inside, children }: Item, key: number) {
  return (
    <li key={key} {...(number !== null && { value: number })}>
      {inside.map(renderInline)}
      {children.map(renderBlock)}
    </li>
  )
}

function renderInline(inline: Inline, key: number): ComponentChild {
  if (inline.kind === 'text') return inline.text
  if (inline.kind === 'break') return <br key={key} />
  if (inline.kind === 'code') return <code key={key}>{inline.text}</code>
  if (inline.kind === 'emoji') return <span key={key}>{inline.name}</span>
  if (inline.kind === 'spoiler') return <Spoiler key={key} inside={inline.inside} />
  const inside = inline.inside.map(renderInline)
  if (inline.kind === 'link')
    return (
      <a key={key} href={inline.address} target="_blank" rel="noreferrer noopener nofollow">
        {inside}
      </a>
    )
  const Tag = elements[inline.kind]
  return <Tag key={key}>{inside}</Tag>
}

/**
 * Adds the content to the page only when opened, and moves the focus there from the removed button.
 */
function Spoiler({ inside }: { inside: readonly Inline[] }) {
  const [isOpen, setOpen] = useState(false)
  const opened = useRef<HTMLSpanElement>(null)
  useLayoutEffect(() => opened.current?.focus(), [isOpen])
  if (isOpen)
    return (
      <span ref={opened} class="opened" tabIndex={-1}>
        {inside.map(renderInline)}
      </span>
    )
  return (
    <button type="button" class="spoiler" onClick={() => setOpen(true)}>
      <span>{strings.spoiler}</span>
    </button>
  )
}
