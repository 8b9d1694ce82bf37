import fc from 'fast-check'
import { type Block, elements, type Inline, parseMarkdown } from '../../src/dashboard/lib/markdown'
import { parseInline } from '../../src/dashboard/lib/markdownInline'
import { isHttpUrl } from '../../src/model/core/validation'
import { rounds } from '../tools/rounds'
import { describe, expect, test } from '../tools/test'

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

/** Texts that a parser might look at again and again, each made of a part that is repeated. */
const repeated = [
  ...['*', '*a ', '**', '**a ', '***', '***a', '_', '_a ', '__a ', '~~', '~~a ', '||', '||a '],
  ...['*a**b_c', '**a *b __c ~~d ||e ', '*\\', '\\', '`', '`a ', '``a ', '`a``', '```', '`\n'],
  ...['```\n', '```a\n', '```\n```\n', '[', ']', '[[a]', '[a](', '[a](http://b', '[a](http://b)'],
  ...['[a](http://?)', '[a](http://b()', '[a](http://b(c)', '[*a](http://b', '(', ')'],
  ...['<', '<a', '<a:', '<:a', '<:a:1', '<:a:1>', '<http://a', '<http://?>', '<http://?', '>'],
  ...['http://', 'http://a', 'http://a.', 'http://?', 'http://?*', 'http://a ', 'http://%', 'h'],
  ...['> ', '>', '> a\n', '> > a\n', '>>> ', '>>> a\n', '# ', '# a\n', '-# a\n', '- a\n', '1. a\n'],
  ...['- *a\n', '  - a\n', ' ', '\n', '\n\n', '\r', 'a\n', '- - ', '*a\n', '**a\n'],
]

/** Lists in lists, and back again. */
const staircase = (size: number): string => {
  const levels = Math.floor(Math.sqrt(size))
  return Array.from({ length: levels }, (_, at) => `${'  '.repeat(at)}- a\n`).join('')
}

const shapes: Record<string, (size: number) => string> = {
  ...Object.fromEntries(
    repeated.map((part) => [
      JSON.stringify(part),
      (size: number) => part.repeat(Math.ceil(size / part.length)).slice(0, size),
    ]),
  ),
  'lists in lists': staircase,
  'marks around marks': (size) =>
    `${'**__~~||'.repeat(size / 16)}a${'||~~__**'.repeat(Math.floor(size / 16))}`,
  'links in links': (size) => `${'[**'.repeat(size / 16)}a${'**](http://b)'.repeat(size / 16)}`,
  'an address that never ends': (size) => `[a](http://b${'[a](http://c)'.repeat(size / 13)}`,
  'a fence that never closes': (size) => `\`\`\`\n${'a\n'.repeat(size / 2)}`,
}

const stepsOf = (text: string): number => {
  const work = { steps: 0 }
  parseMarkdown(text, work)
  return work.steps
}

const depthOfInline = (one: Inline): number =>
  'inside' in one ? 1 + Math.max(0, ...one.inside.map(depthOfInline)) : 1

const depthOf = (block: Block): number => {
  if (block.kind === 'code') return 1
  if (block.kind === 'quote') return 1 + Math.max(0, ...block.inside.map(depthOf))
  const inside = block.kind === 'list' ? block.items.flatMap((item) => item.inside) : block.inside
  const children = block.kind === 'list' ? block.items.flatMap((item) => item.children) : []
  return 1 + Math.max(0, ...inside.map(depthOfInline), ...children.map(depthOf))
}

describe('the work of parseMarkdown', () => {
  test.each(Object.keys(shapes))('grows with the length of %s', (name) => {
    const shape = shapes[name] ?? String
    const [short, long] = [shape(5_000), shape(40_000)]
    const growth = long.length / short.length
    expect(stepsOf(short)).toBeGreaterThanOrEqual(short.length)
    expect(stepsOf(long)).toBeLessThanOrEqual(1.2 * growth * stepsOf(short))
    expect(stepsOf(long)).toBeLessThanOrEqual(40 * long.length)
  })

  test('is bounded by the length of arbitrary text', () => {
    fc.assert(
      fc.property(hostile, fc.integer({ min: 1, max: 50 }), (part, times) => {
        const text = part.repeat(times)
        expect(stepsOf(text)).toBeLessThanOrEqual(100 * (text.length + 1))
      }),
      { numRuns: rounds(200) },
    )
  })

  test.each(Object.keys(shapes))('nests at most 32 levels in %s', (name) => {
    const text = shapes[name]?.(5_000) ?? ''
    for (const given of [text, `>>> ${text}`, `- ${text}`])
      expect(Math.max(0, ...parseMarkdown(given).map(depthOf))).toBeLessThanOrEqual(32)
  })
})
