import fc from 'fast-check'
import { isHttpUrl } from '../../src/model/validation'
import {
  type Block,
  elements,
  type Inline,
  parseInline,
  parseMarkdown,
} from '../../src/web/app/markdown'
import { rounds } from '../rounds'
import { describe, expect, test } from '../test'

/** Formats a tree in one line. */
function formatTree(one: Inline): string {
  if (one.kind === 'text') return one.text
  if (one.kind === 'break') return '⏎'
  if (one.kind === 'code') return `code(${one.text})`
  if (one.kind === 'emoji') return `emoji(${one.name})`
  const inside = one.inside.map(formatTree).join('')
  return one.kind === 'link' ? `link(${one.address}: ${inside})` : `${one.kind}(${inside})`
}

describe('parseInline', () => {
  test.each([
    ['plain words', 'plain words'],
    ['**bold** and *not so*', 'strong(bold) and emphasis(not so)'],
    ['__under__ and _leaning_', 'underline(under) and emphasis(leaning)'],
    ['~~gone~~', 'strike(gone)'],
    ['||secret||', 'spoiler(secret)'],
    ['||**loud** secret||', 'spoiler(strong(loud) secret)'],
    ['***both***', 'strong(emphasis(both))'],
    ['**a *b* c**', 'strong(a emphasis(b) c)'],
    ['snake_case_name', 'snake_case_name'],
    ['2 * 3 * 4', '2 * 3 * 4'],
    ['\\*no\\*', '*no*'],
    ['`*as it is*`', 'code(*as it is*)'],
    ['**open', '**open'],
    ['****', '****'],
    ['one\ntwo', 'one⏎two'],
    ['<script>alert(1)</script>', '<script>alert(1)</script>'],
    ['[here](https://example.org/a)', 'link(https://example.org/a: here)'],
    ['[here](javascript:alert(1))', '[here](javascript:alert(1))'],
    ['[here](data:text/html,x)', '[here](data:text/html,x)'],
    ['see https://example.org/a.', 'see link(https://example.org/a: https://example.org/a).'],
    ['<https://example.org>', 'link(https://example.org: https://example.org)'],
    ['javascript:alert(1)', 'javascript:alert(1)'],
    ['<a:wave:123456789012345678>', 'emoji(:wave:)'],
    ['<@123456789012345678>', '<@123456789012345678>'],
  ])('parseInline parses %p as %p', (text, expected) =>
    expect(parseInline(text).map(formatTree).join('')).toBe(expected),
  )
})

describe('parseMarkdown', () => {
  test('parseMarkdown keeps adjacent lines in one paragraph', () => {
    expect(parseMarkdown('one\ntwo\n\nthree').map(({ kind }) => kind)).toEqual([
      'paragraph',
      'paragraph',
    ])
  })

  test('parseMarkdown parses headings, quotes, lists and code', () => {
    const text = '# Big\n> said\n> so\n- one\n  - below\n- two\n1. first\n```\n*x*\n```\n-# tiny'
    expect(parseMarkdown(text)).toMatchObject([
      { kind: 'heading', size: 1 },
      { kind: 'quote', inside: [{ kind: 'paragraph' }] },
      {
        kind: 'list',
        isOrdered: false,
        items: [{ children: [{ kind: 'list', items: [{}] }] }, { children: [] }],
      },
      { kind: 'list', isOrdered: true, items: [{ number: 1 }] },
      { kind: 'code', text: '*x*' },
      { kind: 'small' },
    ])
  })

  test('parseMarkdown quotes everything after three brackets', () => {
    expect(parseMarkdown('>>> a\n\nb')).toMatchObject([
      { kind: 'quote', inside: [{ kind: 'paragraph' }, { kind: 'paragraph' }] },
    ])
  })
})

/** Text in which marks are as frequent as words. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom('*', '**', '_', '__', '~~', '||', '`', '```', '\n', '> ', '>>> ', '# ', '- '),
      fc.constantFrom('1. ', '  ', '\\', '[', '](', ')', '<', '>', 'https://a.b/c', 'javascript:'),
      fc.constantFrom('<script>', ' onclick=', 'data:text/html,', '-# ', '<:x:1>', '&lt;'),
      fc.string({ unit: 'grapheme', maxLength: 6 }),
    ),
    { maxLength: 60 },
  )
  .map((parts) => parts.join(''))

const inlineText = (one: Inline): string => {
  if (one.kind === 'text' || one.kind === 'code') return one.text
  if (one.kind === 'break') return '\n'
  if (one.kind === 'emoji') return one.source
  const inside = one.inside.map(inlineText).join('')
  return one.kind === 'link' && inside !== one.address ? inside + one.address : inside
}

const blockText = (block: Block): string => {
  if (block.kind === 'code') return block.text
  if (block.kind === 'quote') return block.inside.map(blockText).join('\n')
  if (block.kind === 'list')
    return block.items
      .map(
        ({ number, inside, children }) =>
          `${number ?? ''} ${inside.map(inlineText).join('')} ${children.map(blockText).join(' ')}`,
      )
      .join('\n')
  return block.inside.map(inlineText).join('')
}

/**
 * Removes characters that may be marks, and zeros, because leading zeros of list numbers are lost.
 */
const stripMarks = (text: string) => text.replace(/[\s*_~|`\\>#[\]()<.-]/gu, '').replace(/0/g, '')

describe('arbitrary text', () => {
  test('parseMarkdown loses no word of arbitrary text', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(stripMarks(parseMarkdown(text).map(blockText).join('\n'))).toBe(stripMarks(text))
      }),
      { numRuns: rounds(300) },
    )
  })

  test('parseMarkdown produces only known elements, and only http links', () => {
    const rendered = new Set([
      ...Object.keys(elements),
      'text',
      'code',
      'break',
      'emoji',
      'spoiler',
    ])
    const check = (one: Inline | Block): void => {
      if (one.kind === 'link') expect(isHttpUrl(one.address)).toBe(true)
      else if (one.kind !== 'list') expect(rendered).toContain(one.kind)
      if (one.kind === 'list')
        for (const { inside, children } of one.items) [...inside, ...children].forEach(check)
      else if ('inside' in one) one.inside.forEach(check)
    }
    fc.assert(
      fc.property(hostile, (text) => parseMarkdown(text).forEach(check)),
      { numRuns: rounds(200) },
    )
  })

  test('parseMarkdown returns and adds no text when marks never close', () => {
    for (const mark of ['*', '**', '_', '[', '`', '||', '> ', '- ', '***a', '<']) {
      const text = mark.repeat(1000).slice(0, 1000)
      // A parser that tried every pairing of these marks would never return.
      const blocks = parseMarkdown(text)
      const blocksText = blocks.map(blockText).join('\n')
      expect(blocksText.length).toBeLessThanOrEqual(text.length)
    }
  })
})
