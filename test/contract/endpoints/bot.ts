import { recordMessageStep } from '../../http/bot/proxyScenarios'
import type { Endpoint, Endpoints } from './endpoint'

/** A request that a bot sends successfully. */
export interface BotRequest {
  line: string
  body?: unknown
}

/** An endpoint whose response may show a token, so that it has no request here. */
interface TokenEndpoint {
  showsToken: true
}

/** An endpoint of the bot interface. All reject callers without a bot key in the same way. */
type BotEndpoint = Endpoint & { requires: 'bot key' } & (BotRequest | TokenEndpoint)

const requires = 'bot key'
const ids = { account_id: '<account>', guild_id: '<guild>' }
const [, message] = recordMessageStep('wren')

/** The bot interface. In this order, each request of a row succeeds in the fixture of bots. */
export const bot: Endpoints<'/bot', BotEndpoint> = {
  'POST /bot/systems': {
    requires,
    showsToken: true,
    events: { none: 'a new system has no listeners yet' },
  },
  'POST /bot/systems/{systemRef}/login': { requires, showsToken: true, events: [] },
  'POST /bot/systems/{systemRef}/token': { requires, showsToken: true, events: [] },
  'POST /bot/accounts/{account_id}/import': {
    requires,
    showsToken: true,
    events: { testedIn: 'test/http/bot/imports.test.ts' },
  },
  'GET /bot/accounts/{account_id}': { requires, line: 'GET /bot/accounts/<account>' },
  'PATCH /bot/accounts/{account_id}': {
    requires,
    line: 'PATCH /bot/accounts/<account>',
    body: { autoproxy_enabled: true },
    events: [],
  },
  'PUT /bot/systems/{systemRef}/accounts/{account_id}': {
    requires,
    line: 'PUT /bot/systems/<system>/accounts/42',
    events: ['LINK_ACCOUNT'],
  },
  'DELETE /bot/systems/{systemRef}/accounts/{account_id}': {
    requires,
    line: 'DELETE /bot/systems/<system>/accounts/42',
    events: ['UNLINK_ACCOUNT'],
  },
  'GET /bot/guilds/{guild_id}': { requires, line: 'GET /bot/guilds/<guild>' },
  'PATCH /bot/guilds/{guild_id}': {
    requires,
    line: 'PATCH /bot/guilds/<guild>',
    body: { require_system_tag: false },
    events: [],
  },
  'PATCH /bot/systems/{systemRef}/guilds/{guild_id}': {
    requires,
    line: 'PATCH /bot/systems/<system>/guilds/<guild>',
    body: {},
    events: ['UPDATE_SYSTEM_GUILD'],
  },
  'GET /bot/systems/{systemRef}/guilds/{guild_id}': {
    requires,
    line: 'GET /bot/systems/<system>/guilds/<guild>',
  },
  'PATCH /bot/members/{memberRef}/guilds/{guild_id}': {
    requires,
    line: 'PATCH /bot/members/<wren>/guilds/<guild>',
    body: {},
    events: ['UPDATE_MEMBER_GUILD'],
  },
  'GET /bot/members/{memberRef}/guilds/{guild_id}': {
    requires,
    line: 'GET /bot/members/<wren>/guilds/<guild>',
  },
  'POST /bot/proxy': {
    requires,
    line: 'POST /bot/proxy',
    body: { ...ids, channel_id: '1', content: 'w:hello' },
    events: ['UPDATE_AUTOPROXY'],
  },
  'POST /bot/messages': {
    requires,
    line: 'POST /bot/messages',
    body: message,
    events: ['CREATE_MESSAGE', 'UPDATE_AUTOPROXY', 'UPDATE_SWITCH'],
  },
  'GET /bot/messages/{id}': { requires, line: 'GET /bot/messages/<sent>?account_id=<account>' },
  'GET /bot/accounts/{account_id}/last-message': {
    requires,
    line: 'GET /bot/accounts/<account>/last-message?channel_id=<channel>',
  },
  'DELETE /bot/messages/{id}': { requires, line: 'DELETE /bot/messages/<sent>', events: [] },
  'POST /bot/messages/delete': {
    requires,
    line: 'POST /bot/messages/delete',
    body: ['<sent>'],
    events: [],
  },
  'DELETE /bot/systems/{systemRef}/switches': {
    requires,
    line: 'DELETE /bot/systems/<system>/switches',
    events: ['DELETE_ALL_SWITCHES'],
  },
  'POST /bot/link': {
    requires,
    line: 'POST /bot/link',
    body: { account_id: '<account>', code: '<code>' },
    events: { testedIn: 'test/http/bot/links.test.ts' },
  },
  'DELETE /bot/accounts/{account_id}': {
    requires,
    line: 'DELETE /bot/accounts/<account>',
    events: ['UNLINK_ACCOUNT'],
  },
  'DELETE /bot/systems/{systemRef}': {
    requires,
    line: 'DELETE /bot/systems/<system>',
    events: { none: 'a deleted system has no listeners' },
  },
}
