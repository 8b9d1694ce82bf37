import { type Draft, entity, type Identity, type Patch, type Row } from '../core/entity'
import { color, count, date, flag, proxyTags, required, text, timestamp, url } from '../core/field'

export const MAX_DESCRIPTION = 1000

export const member = entity(
  'member',
  {
    name: required({
      max: 100,
      guard: 'name_privacy',
      fallback: 'display_name',
      isShownInFront: true,
      doc: 'Name; while it is private, other callers get the display name instead',
      example: 'Wren',
    }),
    display_name: text({
      max: 100,
      guard: 'name_privacy',
      isShownInFront: true,
      doc: 'Name shown instead of the name',
      example: 'Wren of the Hill',
    }),
    color: color({
      isShownInFront: true,
      doc: 'Colour, six hexadecimal digits',
      example: '88c0a8',
    }),
    birthday: date({
      guard: 'birthday_privacy',
      doc: 'Birthday, YYYY-MM-DD; year 0004 hides the year',
      example: '0004-11-02',
    }),
    pronouns: text({
      max: 100,
      guard: 'pronoun_privacy',
      isShownInFront: true,
      doc: 'Pronouns',
      example: 'she/her',
    }),
    avatar_url: url({
      guard: 'avatar_privacy',
      isShownInFront: true,
      doc: 'Address of the picture',
    }),
    webhook_avatar_url: url({
      guard: 'avatar_privacy',
      doc: 'Address of the picture used for proxied messages',
    }),
    banner: url({ guard: 'banner_privacy', doc: 'Address of the banner image' }),
    description: text({
      max: MAX_DESCRIPTION,
      guard: 'description_privacy',
      doc: 'Description',
    }),
    created: timestamp({ guard: 'metadata_privacy', doc: 'When the member was created' }),
    proxy_tags: proxyTags({
      guard: 'proxy_privacy',
      doc: 'Pairs of prefix and suffix that mark a message as this member’s',
      example: [{ prefix: 'w:', suffix: null }],
    }),
    keep_proxy: flag(false, { doc: 'Whether proxied messages keep their tags' }),
    tts: flag(false, { doc: 'Whether proxied messages are read aloud' }),
    autoproxy_enabled: flag(true, {
      ownerOnly: 'null',
      doc: 'Whether autoproxy may choose this member; shown to the owner only',
    }),
    message_count: count(0, {
      guard: 'metadata_privacy',
      readonly: true,
      doc: 'Number of proxied messages',
    }),
    last_message_timestamp: timestamp({
      guard: 'metadata_privacy',
      doc: 'When the last message was proxied',
    }),
  },
  [
    'visibility',
    'name_privacy',
    'description_privacy',
    'birthday_privacy',
    'pronoun_privacy',
    'avatar_privacy',
    'banner_privacy',
    'metadata_privacy',
    'proxy_privacy',
  ],
)

export type Member = Row<typeof member> & Identity & { system_id: number }
export type MemberPatch = Patch<typeof member>
export type MemberDraft = Draft<typeof member>
