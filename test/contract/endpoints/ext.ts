import { GIF_TEXT } from '../../tools/pictures'
import {
  type Asks,
  anyCaller,
  anySystem,
  type Endpoint,
  type Endpoints,
  onlyOwner,
} from './endpoint'

/** A reminder after any switch. */
export const afterSwitch = { kind: 'after_switch', after: 60, on: 'any' }

/** Registration of a browser. No push service listens at its address. */
export const pushTarget = {
  endpoint: 'https://127.0.0.1:9/<new>',
  keys: {
    p256dh:
      'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  },
  label: 'Secret',
  wants: ['posts'],
}

/** The extension API. Placeholders such as `<room>` are objects of `test/http/ext/endpoints.test.ts`. */
export const ext: Endpoints<'/ext/v1', Endpoint & { asks: Asks }> = {
  'GET /ext/v1/systems/@me/rooms': { requires: 'read_journal', asks: [{ answers: anySystem() }] },
  'POST /ext/v1/systems/@me/rooms': {
    requires: 'change',
    asks: [{ body: { name: 'Changed' }, answers: anySystem(201) }],
    events: { testedIn: 'test/http/ext/posts.test.ts' },
  },
  'PUT /ext/v1/systems/@me/rooms/order': {
    requires: 'change',
    asks: [{ body: ['<room>'], answers: onlyOwner(200, 400) }],
    events: { testedIn: 'test/http/ext/orders.test.ts' },
  },
  'PATCH /ext/v1/rooms/{id}': {
    requires: 'change',
    asks: [
      {
        line: 'PATCH /ext/v1/rooms/<room>',
        body: { name: 'Changed' },
        answers: onlyOwner(200, 29004),
      },
    ],
    events: { testedIn: 'test/http/ext/posts.test.ts' },
  },
  'DELETE /ext/v1/rooms/{id}': {
    requires: 'change',
    asks: [{ line: 'DELETE /ext/v1/rooms/<room>', answers: onlyOwner(204, 29004) }],
    events: { testedIn: 'test/http/ext/posts.test.ts' },
  },
  'GET /ext/v1/systems/@me/posts': {
    requires: 'read_journal',
    asks: [{ line: 'GET /ext/v1/systems/@me/posts?room=<room>', answers: onlyOwner(200, 29004) }],
  },
  'GET /ext/v1/systems/@me/posts/unread': {
    requires: 'read_journal',
    asks: [{ answers: anySystem() }],
  },
  'POST /ext/v1/systems/@me/posts': {
    requires: 'change',
    asks: [{ body: { room: '<room>', text: 'Changed' }, answers: onlyOwner(201, 29004) }],
    events: { testedIn: 'test/http/ext/posts.test.ts' },
  },
  'POST /ext/v1/systems/@me/posts/read': {
    requires: 'change',
    asks: [{ body: { for: '<wren>' }, answers: onlyOwner(204, 30008) }],
    events: { testedIn: 'test/http/ext/posts.test.ts' },
  },
  'PATCH /ext/v1/posts/{id}': {
    requires: 'change',
    asks: [
      {
        line: 'PATCH /ext/v1/posts/<post>',
        body: { text: 'Changed' },
        answers: onlyOwner(200, 29003),
      },
    ],
    events: { testedIn: 'test/http/ext/posts.test.ts' },
  },
  'DELETE /ext/v1/posts/{id}': {
    requires: 'change',
    asks: [{ line: 'DELETE /ext/v1/posts/<post>', answers: onlyOwner(204, 29003) }],
    events: { testedIn: 'test/http/ext/posts.test.ts' },
  },
  'GET /ext/v1/systems/@me/polls': { requires: 'read_journal', asks: [{ answers: anySystem() }] },
  'POST /ext/v1/systems/@me/polls': {
    requires: 'change',
    asks: [{ body: { name: 'Changed', options: [{ name: 'yes' }] }, answers: anySystem(201) }],
    events: { testedIn: 'test/http/ext/polls.test.ts' },
  },
  'GET /ext/v1/polls/{id}': {
    requires: 'read_journal',
    asks: [{ line: 'GET /ext/v1/polls/<poll>', answers: onlyOwner(200, 29005) }],
  },
  'PATCH /ext/v1/polls/{id}': {
    requires: 'change',
    asks: [
      {
        line: 'PATCH /ext/v1/polls/<poll>',
        body: { name: 'Changed' },
        answers: onlyOwner(200, 29005),
      },
    ],
    events: { testedIn: 'test/http/ext/polls.test.ts' },
  },
  'DELETE /ext/v1/polls/{id}': {
    requires: 'change',
    asks: [{ line: 'DELETE /ext/v1/polls/<poll>', answers: onlyOwner(204, 29005) }],
    events: { testedIn: 'test/http/ext/polls.test.ts' },
  },
  'PUT /ext/v1/polls/{id}/votes/{memberRef}': {
    requires: 'change',
    asks: [
      {
        line: 'PUT /ext/v1/polls/<poll>/votes/<wren>',
        body: { option: '<option>' },
        answers: onlyOwner(200, 29005),
      },
    ],
    events: { testedIn: 'test/http/ext/polls.test.ts' },
  },
  'DELETE /ext/v1/polls/{id}/votes/{memberRef}': {
    requires: 'change',
    asks: [{ line: 'DELETE /ext/v1/polls/<poll>/votes/<wren>', answers: onlyOwner(200, 29005) }],
    events: { testedIn: 'test/http/ext/polls.test.ts' },
  },
  'GET /ext/v1/systems/@me/reminders': {
    requires: 'read_journal',
    asks: [{ answers: anySystem() }],
  },
  'POST /ext/v1/systems/@me/reminders': {
    requires: 'change',
    asks: [
      {
        body: { name: 'Changed', ...afterSwitch },
        answers: anySystem(201),
      },
    ],
    events: { testedIn: 'test/http/ext/reminders.test.ts' },
  },
  'PATCH /ext/v1/reminders/{id}': {
    requires: 'change',
    asks: [
      {
        line: 'PATCH /ext/v1/reminders/<reminder>',
        body: { name: 'Changed' },
        answers: onlyOwner(200, 29006),
      },
    ],
    events: { testedIn: 'test/http/ext/reminders.test.ts' },
  },
  'DELETE /ext/v1/reminders/{id}': {
    requires: 'change',
    asks: [{ line: 'DELETE /ext/v1/reminders/<reminder>', answers: onlyOwner(204, 29006) }],
    events: { testedIn: 'test/http/ext/reminders.test.ts' },
  },
  'POST /ext/v1/reminders/{id}/test': {
    requires: 'change',
    asks: [{ line: 'POST /ext/v1/reminders/<reminder>/test', answers: onlyOwner(200, 29006) }],
    events: { testedIn: 'test/http/ext/reminders.test.ts' },
  },
  'GET /ext/v1/buckets': { requires: 'manage_friends', asks: [{ answers: anySystem() }] },
  'POST /ext/v1/buckets': {
    requires: 'manage_friends',
    asks: [{ body: { name: 'Changed' }, answers: anySystem(201) }],
    events: { testedIn: 'test/http/ext/friends.test.ts' },
  },
  'PUT /ext/v1/buckets/order': {
    requires: 'manage_friends',
    asks: [{ body: ['<bucket>'], answers: onlyOwner(200, 400) }],
    events: { testedIn: 'test/http/ext/orders.test.ts' },
  },
  'PATCH /ext/v1/buckets/{id}': {
    requires: 'manage_friends',
    asks: [
      {
        line: 'PATCH /ext/v1/buckets/<bucket>',
        body: { name: 'Changed' },
        answers: onlyOwner(200, 29007),
      },
    ],
    events: { testedIn: 'test/http/ext/friends.test.ts' },
  },
  'DELETE /ext/v1/buckets/{id}': {
    requires: 'manage_friends',
    asks: [{ line: 'DELETE /ext/v1/buckets/<bucket>', answers: onlyOwner(204, 29007) }],
    events: { testedIn: 'test/http/ext/friends.test.ts' },
  },
  'PUT /ext/v1/buckets/{id}/contents': {
    requires: 'manage_friends',
    asks: [
      {
        line: 'PUT /ext/v1/buckets/<bucket>/contents',
        body: { members: [] },
        answers: onlyOwner(200, 29007),
      },
    ],
    events: { testedIn: 'test/http/ext/friends.test.ts' },
  },
  'GET /ext/v1/friends': { requires: 'manage_friends', asks: [{ answers: anySystem() }] },
  'POST /ext/v1/friends': {
    requires: 'manage_friends',
    asks: [{ body: { code: '<code>' }, answers: anySystem(201) }],
    events: { testedIn: 'test/http/ext/friends.test.ts' },
  },
  'PATCH /ext/v1/friends/{id}': {
    requires: 'manage_friends',
    asks: [
      {
        line: 'PATCH /ext/v1/friends/<friend>',
        body: { name: 'Changed' },
        answers: onlyOwner(200, 29008),
      },
    ],
    events: { testedIn: 'test/http/ext/friends.test.ts' },
  },
  'DELETE /ext/v1/friends/{id}': {
    requires: 'manage_friends',
    asks: [{ line: 'DELETE /ext/v1/friends/<friend>', answers: onlyOwner(204, 29008) }],
    events: { testedIn: 'test/http/ext/friends.test.ts' },
  },
  'GET /ext/v1/friends/stream': { requires: 'manage_friends', asks: [{ answers: anySystem() }] },
  'GET /ext/v1/friends/invites': { requires: 'manage_friends', asks: [{ answers: anySystem() }] },
  'POST /ext/v1/friends/invites': {
    requires: 'manage_friends',
    asks: [{ body: {}, answers: anySystem(201) }],
    events: { none: 'an invitation is not shown in events' },
  },
  'POST /ext/v1/friends/invites/preview': {
    requires: 'manage_friends',
    asks: [{ body: { code: '<previewed>' }, answers: anySystem() }],
    events: { none: 'a preview changes nothing' },
  },
  'DELETE /ext/v1/friends/invites/{id}': {
    requires: 'manage_friends',
    asks: [{ line: 'DELETE /ext/v1/friends/invites/<invite>', answers: onlyOwner(204, 29009) }],
    events: { none: 'an invitation is not shown in events' },
  },
  'GET /ext/v1/friends/{id}/front': {
    requires: 'manage_friends',
    asks: [{ line: 'GET /ext/v1/friends/<friend>/front', answers: onlyOwner(200, 29008) }],
  },
  'GET /ext/v1/friends/{id}/members': {
    requires: 'manage_friends',
    asks: [{ line: 'GET /ext/v1/friends/<friend>/members', answers: onlyOwner(200, 29008) }],
  },
  'GET /ext/v1/friends/{id}/members/{memberRef}': {
    requires: 'manage_friends',
    asks: [
      { line: 'GET /ext/v1/friends/<friend>/members/<shared>', answers: onlyOwner(200, 29008) },
    ],
  },
  'GET /ext/v1/friends/{id}/groups': {
    requires: 'manage_friends',
    asks: [{ line: 'GET /ext/v1/friends/<friend>/groups', answers: onlyOwner(200, 29008) }],
  },
  'GET /ext/v1/friends/{id}/fields': {
    requires: 'manage_friends',
    asks: [{ line: 'GET /ext/v1/friends/<friend>/fields', answers: onlyOwner(200, 29008) }],
  },
  'GET /ext/v1/push': { requires: 'manage_push', asks: [{ answers: anySystem() }] },
  'PUT /ext/v1/push': {
    requires: 'manage_push',
    asks: [
      {
        body: { ...pushTarget, label: 'Phone' },
        answers: { ...anySystem(201), bot: 403 },
      },
    ],
    events: { testedIn: 'test/http/ext/push.test.ts' },
  },
  'PATCH /ext/v1/push/{id}': {
    requires: 'manage_push',
    asks: [
      {
        line: 'PATCH /ext/v1/push/<target>',
        body: { label: 'Phone' },
        answers: onlyOwner(200, 29011),
      },
    ],
    events: { testedIn: 'test/http/ext/push.test.ts' },
  },
  'DELETE /ext/v1/push/{id}': {
    requires: 'manage_push',
    asks: [{ line: 'DELETE /ext/v1/push/<target>', answers: onlyOwner(204, 29011) }],
    events: { testedIn: 'test/http/ext/push.test.ts' },
  },
  'POST /ext/v1/push/{id}/test': {
    requires: 'manage_push',
    asks: [{ line: 'POST /ext/v1/push/<target>/test', answers: onlyOwner(200, 29011) }],
    events: { testedIn: 'test/http/ext/push.test.ts' },
  },
  'PUT /ext/v1/members/{memberRef}/picture': {
    requires: 'change',
    asks: [{ body: GIF_TEXT, answers: onlyOwner(200, 30006) }],
    events: { testedIn: 'test/http/ext/pictures.test.ts' },
  },
  'DELETE /ext/v1/members/{memberRef}/picture': {
    requires: 'change',
    asks: [{ answers: onlyOwner(204, 30006) }],
    events: { testedIn: 'test/http/ext/pictures.test.ts' },
  },
  'PUT /ext/v1/groups/{groupRef}/picture': {
    requires: 'change',
    asks: [{ body: GIF_TEXT, answers: onlyOwner(200, 30007) }],
    events: { testedIn: 'test/http/ext/pictures.test.ts' },
  },
  'DELETE /ext/v1/groups/{groupRef}/picture': {
    requires: 'change',
    asks: [{ answers: onlyOwner(204, 30007) }],
    events: { testedIn: 'test/http/ext/pictures.test.ts' },
  },
  // Before the upload, by which another system gets a picture too.
  'DELETE /ext/v1/systems/@me/picture': {
    requires: 'change',
    asks: [{ answers: onlyOwner(204, 404) }],
    events: { testedIn: 'test/http/ext/pictures.test.ts' },
  },
  'PUT /ext/v1/systems/@me/picture': {
    requires: 'change',
    asks: [{ body: GIF_TEXT, answers: anySystem() }],
    events: { testedIn: 'test/http/ext/pictures.test.ts' },
  },
  'GET /ext/v1/systems/@me/origins': {
    requires: 'read_journal',
    asks: [
      {
        line: 'GET /ext/v1/systems/@me/origins?app=simplyplural&collection=members',
        answers: anySystem(),
      },
    ],
  },
  'GET /ext/v1/systems/@me/archive': { requires: 'read_journal', asks: [{ answers: anySystem() }] },
  'GET /ext/v1/systems/@me/archive/{collection}': {
    requires: 'read_journal',
    asks: [{ line: 'GET /ext/v1/systems/@me/archive/notes', answers: onlyOwner(200, 29012) }],
  },
  'DELETE /ext/v1/systems/@me/archive/{collection}': {
    requires: 'change',
    asks: [{ line: 'DELETE /ext/v1/systems/@me/archive/notes', answers: onlyOwner(204, 29012) }],
    events: { testedIn: 'test/http/ext/archive.test.ts' },
  },
  'POST /ext/v1/systems/@me/archive/convert': {
    requires: 'import',
    asks: [{ answers: anySystem() }],
    events: { testedIn: 'test/http/ext/convertArchive.test.ts' },
  },
  'GET /ext/v1/systems/{systemRef}/front': { requires: 'nothing', asks: [{ answers: anyCaller }] },
  'GET /ext/v1/systems/{systemRef}/front/stream': {
    requires: 'nothing',
    asks: [{ answers: anyCaller }],
  },
  'PUT /ext/v1/systems/@me/switches/{uuid}': {
    requires: 'switch',
    asks: [
      {
        line: 'PUT /ext/v1/systems/@me/switches/<new>',
        body: { members: ['<wren>'] },
        answers: onlyOwner(201, 30008),
      },
    ],
    events: { testedIn: 'test/http/ext/putSwitch.test.ts' },
  },
  'DELETE /ext/v1/systems/@me/switches/{uuid}': {
    requires: 'switch',
    asks: [{ line: 'DELETE /ext/v1/systems/@me/switches/<first>', answers: anySystem(204) }],
    events: { testedIn: 'test/http/ext/putSwitch.test.ts' },
  },
  'GET /ext/v1/systems/@me/front/notes': {
    requires: 'read_journal',
    asks: [{ answers: anySystem() }],
  },
  'POST /ext/v1/systems/@me/front/notes': {
    requires: 'switch',
    asks: [{ body: { kind: 'comment', text: 'Changed' }, answers: anySystem(201) }],
    events: { testedIn: 'test/http/ext/frontNotes.test.ts' },
  },
  'PATCH /ext/v1/front-notes/{id}': {
    requires: 'switch',
    asks: [
      {
        line: 'PATCH /ext/v1/front-notes/<comment>',
        body: { text: 'Changed' },
        answers: onlyOwner(200, 29010),
      },
    ],
    events: { testedIn: 'test/http/ext/frontNotes.test.ts' },
  },
  'DELETE /ext/v1/front-notes/{id}': {
    requires: 'switch',
    asks: [{ line: 'DELETE /ext/v1/front-notes/<comment>', answers: onlyOwner(204, 29010) }],
    events: { testedIn: 'test/http/ext/frontNotes.test.ts' },
  },
  'GET /ext/v1/systems/@me/settings': { requires: 'read', asks: [{ answers: anySystem() }] },
  'PATCH /ext/v1/systems/@me/settings': {
    requires: 'change',
    asks: [{ body: { front_status_privacy: 'public' }, answers: anySystem() }],
    events: { testedIn: 'test/http/ext/front.test.ts' },
  },
  'GET /ext/v1/systems/{systemRef}/members': {
    requires: 'nothing',
    asks: [{ answers: anyCaller }],
  },
  'PATCH /ext/v1/systems/@me/members': {
    requires: 'change',
    asks: [{ body: [{ id: '<wren>', archived: true }], answers: onlyOwner(200, 30008) }],
    events: { testedIn: 'test/http/ext/members.test.ts' },
  },
  'POST /ext/v1/members': {
    requires: 'change',
    asks: [{ body: { member: { name: 'Robin' } }, answers: anySystem(201) }],
    events: { testedIn: 'test/http/ext/members.test.ts' },
  },
  'GET /ext/v1/members/{memberRef}': { requires: 'nothing', asks: [{ answers: anyCaller }] },
  'PATCH /ext/v1/members/{memberRef}': {
    requires: 'change',
    asks: [{ body: { archived: true }, answers: onlyOwner(200, 30006) }],
    events: { testedIn: 'test/http/ext/members.test.ts' },
  },
  'GET /ext/v1/systems/{systemRef}/fields': { requires: 'nothing', asks: [{ answers: anyCaller }] },
  'POST /ext/v1/systems/@me/fields': {
    requires: 'change',
    asks: [{ body: { name: 'Changed', type: 'text' }, answers: anySystem(201) }],
    events: { testedIn: 'test/http/ext/fields.test.ts' },
  },
  'PUT /ext/v1/systems/@me/fields/order': {
    requires: 'change',
    asks: [{ body: ['<field>'], answers: onlyOwner(200, 400) }],
    events: { testedIn: 'test/http/ext/orders.test.ts' },
  },
  'PATCH /ext/v1/fields/{id}': {
    requires: 'change',
    asks: [
      {
        line: 'PATCH /ext/v1/fields/<field>',
        body: { name: 'Changed' },
        answers: onlyOwner(200, 29001),
      },
    ],
    events: { testedIn: 'test/http/ext/fields.test.ts' },
  },
  'DELETE /ext/v1/fields/{id}': {
    requires: 'change',
    asks: [{ line: 'DELETE /ext/v1/fields/<field>', answers: onlyOwner(204, 29001) }],
    events: { testedIn: 'test/http/ext/fields.test.ts' },
  },
  'GET /ext/v1/systems/{systemRef}/groups': { requires: 'nothing', asks: [{ answers: anyCaller }] },
  'PATCH /ext/v1/groups/{groupRef}': {
    requires: 'change',
    asks: [
      {
        line: 'PATCH /ext/v1/groups/<dreamers>',
        body: { parent: '<keepers>' },
        answers: onlyOwner(200, 30007),
      },
    ],
    events: { testedIn: 'test/http/ext/groups.test.ts' },
  },
  'PUT /ext/v1/systems/@me/groups/tree': {
    requires: 'change',
    asks: [
      {
        body: [
          { id: '<keepers>', parent: null },
          { id: '<dreamers>', parent: '<keepers>' },
        ],
        answers: onlyOwner(200, 400),
      },
    ],
    events: { testedIn: 'test/http/ext/groups.test.ts' },
  },
  'GET /ext/v1/systems/@me/notes': { requires: 'read_journal', asks: [{ answers: anySystem() }] },
  'POST /ext/v1/systems/@me/notes': {
    requires: 'change',
    asks: [{ body: { text: 'Changed' }, answers: anySystem(201) }],
    events: { testedIn: 'test/http/ext/notes.test.ts' },
  },
  'GET /ext/v1/notes/{id}': {
    requires: 'read_journal',
    asks: [{ line: 'GET /ext/v1/notes/<note>', answers: onlyOwner(200, 29002) }],
  },
  'PATCH /ext/v1/notes/{id}': {
    requires: 'change',
    asks: [
      {
        line: 'PATCH /ext/v1/notes/<note>',
        body: { text: 'Changed' },
        answers: onlyOwner(200, 29002),
      },
    ],
    events: { testedIn: 'test/http/ext/notes.test.ts' },
  },
  'DELETE /ext/v1/notes/{id}': {
    requires: 'change',
    asks: [{ line: 'DELETE /ext/v1/notes/<note>', answers: onlyOwner(204, 29002) }],
    events: { testedIn: 'test/http/ext/notes.test.ts' },
  },
}
