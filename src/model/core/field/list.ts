import { reason } from '../reason'
import {
  isObject,
  MAX_TAG_AFFIXES,
  MAX_TAGS,
  Problem,
  type ProxyTag,
  parseProxyTag,
  parseText,
} from '../validation'
import { base, type Field, type Options } from './field'
import { cutText, dropUnstorable } from './text'

export function textList(options: Options & { maxItems: number; max: number }): Field<string[]> {
  const { maxItems, max } = options
  const items = { type: 'string', maxLength: max }
  return {
    ...base('texts', 'json', { type: 'array', maxItems, items }, options),
    defaultValue: [],
    max: maxItems,
    parse: (value) => {
      if (!Array.isArray(value)) return new Problem('not_texts')
      if (value.length > maxItems)
        return new Problem('too_many_items', { max: maxItems, actual: value.length })
      const texts: string[] = []
      for (const item of value) {
        if (item !== null && typeof item !== 'string') return new Problem('not_texts')
        const checked = parseText(item ?? '', max)
        if (checked instanceof Problem) return checked
        texts.push(checked)
      }
      return texts
    },
    repair: (value) => {
      if (!Array.isArray(value)) return { now: undefined, why: 'not_list' }
      const texts = value
        .filter((item) => typeof item === 'string')
        .map((item) => cutText(dropUnstorable(item), max))
      return { now: texts.slice(0, maxItems), why: 'list_cut' }
    },
  }
}

/** List of distinct values of a fixed set; required on create, but may be empty. */
export function choiceList<const T extends string>(
  choices: readonly T[],
  options: Options,
): Field<T[]> & { readonly required: true } {
  const items = { type: 'string', enum: choices }
  return {
    ...base('texts', 'json', { type: 'array', uniqueItems: true, items }, options),
    defaultValue: [],
    required: true,
    choices,
    max: choices.length,
    parse: (value) => {
      if (!Array.isArray(value)) return new Problem('not_texts')
      const isKnown = (item: unknown): item is T => choices.includes(item as T)
      if (!value.every(isKnown)) return new Problem('not_choices', { choices })
      return [...new Set(value)]
    },
  }
}

/** UUIDs of privacy buckets, which the service resolves. Only the owner sees them. */
export function bucketList(options: Options): Field<string[]> {
  const items = { type: 'string', format: 'uuid' }
  return {
    ...base('references', 'json', { type: 'array', items }, options),
    defaultValue: [],
    parse: (value) => {
      if (!Array.isArray(value) || !value.every((item) => typeof item === 'string'))
        return new Problem('not_uuids')
      return [...new Set(value.map((item) => item.toLowerCase()))]
    },
  }
}

/** UUIDs of members that the service reads; null if the caller may not see them. */
export function memberList(options: Options): Field<string[] | null> {
  const items = { type: 'string', format: 'uuid' }
  return {
    ...base('texts', 'json', { type: 'array', items }, options),
    defaultValue: null,
    parse: () => new Problem('read_only'),
  }
}

const proxyTagSchema = {
  type: 'object',
  description: `Prefix and suffix together have at most ${MAX_TAG_AFFIXES} characters`,
  properties: {
    prefix: { type: ['string', 'null'], maxLength: MAX_TAG_AFFIXES },
    suffix: { type: ['string', 'null'], maxLength: MAX_TAG_AFFIXES },
  },
  additionalProperties: false,
}

export function proxyTags(options: Options): Field<ProxyTag[]> {
  const schema = { type: 'array', maxItems: MAX_TAGS, items: proxyTagSchema }
  return {
    ...base('proxyTags', 'json', schema, options),
    defaultValue: [],
    max: MAX_TAGS,
    parse: (value) => {
      if (!Array.isArray(value)) return new Problem('not_proxy_tags')
      if (value.length > MAX_TAGS)
        return new Problem('too_many_proxy_tags', { max: MAX_TAGS, actual: value.length })
      const tags: ProxyTag[] = []
      for (const item of value) {
        const tag = parseProxyTag(item)
        if (tag instanceof Problem) return tag
        if (!isEmptyTag(tag)) tags.push(tag)
      }
      return tags
    },
    repair: (value) => {
      if (!Array.isArray(value)) return { now: undefined, why: 'not_list' }
      const kept: ProxyTag[] = []
      const dropped: unknown[] = []
      for (const item of value) {
        const tag = parseProxyTag(storableTag(item))
        if (tag instanceof Problem || kept.length >= MAX_TAGS) dropped.push(item)
        else if (!isEmptyTag(tag)) kept.push(tag)
      }
      return dropped.length === 0
        ? { now: kept, why: 'characters_removed' }
        : {
            now: kept,
            why: reason('tags_not_storable', { count: dropped.length }),
            was: serializeTag(dropped[0]),
          }
    },
  }
}

function isEmptyTag({ prefix, suffix }: ProxyTag): boolean {
  return prefix === null && suffix === null
}

function storableTag(tag: unknown): unknown {
  if (!isObject(tag)) return tag
  const part = (value: unknown) => (typeof value === 'string' ? dropUnstorable(value) : value)
  return { prefix: part(tag.prefix), suffix: part(tag.suffix) }
}

function serializeTag(tag: unknown): unknown {
  if (!isObject(tag)) return tag
  const part = (value: unknown) =>
    typeof value === 'string' || Number.isSafeInteger(value) ? String(value) : ''
  return `${part(tag.prefix)}text${part(tag.suffix)}`
}
