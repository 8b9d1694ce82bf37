import type { Mutation } from './mutation'

/** Pictures that the server stores and serves. */
export const pictures: readonly Mutation[] = [
  {
    file: 'service/ext/pictures.ts',
    from: '  isNull(visibleSystems.disabled_at),\n',
    to: '',
    tests: ['http/ext/pictures.test.ts'],
    why: 'Pictures of a disabled system are served.',
  },
  {
    file: 'service/ext/pictureCleanup.ts',
    from: 'const UNUSED_KEPT = DAY',
    to: 'const UNUSED_KEPT = 0',
    tests: ['http/ext/pictures.test.ts'],
    why: 'A picture that is not used yet is deleted at the next look.',
  },
  {
    file: 'service/extRows/pictures.ts',
    from: 'bytes.byteLength > MAX_PICTURE_BYTES',
    to: 'bytes.byteLength > 2 * MAX_PICTURE_BYTES',
    tests: ['http/v2/importPictures.test.ts', 'http/ext/pictures.test.ts'],
    why: 'A file imports pictures that are larger than uploads may be.',
  },
  {
    file: 'service/extRows/pictures.ts',
    from: 'used + size > limit',
    to: 'used > limit',
    tests: ['http/ext/pictures.test.ts'],
    why: 'A system stores more pictures than its limit.',
  },
  {
    file: 'model/ext/picture.ts',
    from: "[[0, 'GIF87a']]",
    to: "[[0, 'GIF']]",
    tests: ['http/ext/pictures.test.ts'],
    why: 'A script that begins with GIF is stored as a picture.',
  },
  {
    file: 'http/pictures.ts',
    from: "  'x-content-type-options': 'nosniff',\n",
    to: '',
    tests: ['http/ext/pictures.test.ts'],
    why: 'A browser runs a picture as what its bytes look like.',
  },
  {
    file: 'http/pictures.ts',
    from: "'content-security-policy': 'sandbox',",
    to: '',
    tests: ['http/ext/pictures.test.ts'],
    why: 'A browser that opens a picture runs scripts with the origin of the dashboard.',
  },
  {
    file: 'discord/attachments/download.ts',
    from: ' && origins.includes(url.origin)',
    to: '',
    tests: ['discord/attachments/attachmentLoader.test.ts', 'discord/checks.test.ts'],
    why: 'An account makes the server download files from any host.',
  },
  {
    file: 'discord/attachments/download.ts',
    from: "redirect: 'manual'",
    to: "redirect: 'follow'",
    tests: [
      'discord/attachments/attachmentLoader.test.ts',
      'discord/attachments/attachments.test.ts',
    ],
    why: 'A redirect makes the server download files from any host.',
  },
]
