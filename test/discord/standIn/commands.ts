import type { Context } from './context'
import { type FieldError, invalidBody, refusal } from './errors'
import { listOf } from './messageRules'
import type { RestRequest, Route } from './rest'
import { answers, bodies } from './schemas'
import { serializeCommand } from './serialize'
import type { Command, JsonObject } from './types'

/** Limits of "Application Commands, Registering a Command". */
const CREATES_PER_DAY = 200
const DAY_MS = 24 * 3600_000
const MAX_CHARACTERS = 8000
const limitsByType: Record<number, number> = { 1: 100, 2: 15, 3: 15 }

/** Names of chat input commands and options ("Application Command Naming"). */
const namePattern = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u

const scopes = [
  '/applications/{application_id}/commands',
  '/applications/{application_id}/guilds/{guild_id}/commands',
]

export const commandRoutes: Route[] = scopes.flatMap((path): Route[] => [
  {
    name: `GET ${path}`,
    answer: answers.commands,
    handle: (context, request) => ({ body: serializeAll(context, scopeOf(context, request)) }),
  },
  {
    name: `PUT ${path}`,
    body: bodies.overwriteCommands,
    answer: answers.commands,
    handle: overwriteCommands,
  },
  {
    name: `POST ${path}`,
    body: bodies.createCommand,
    answer: answers.command,
    handle(context, request) {
      const guildId = scopeOf(context, request)
      rejectInvalid([request.body])
      const known = findByName(context, guildId, request.body)
      const command = storeCommand(context, guildId, request.body)
      rejectTooMany(context, guildId)
      return { status: known ? 200 : 201, body: serializeCommand(context, command) }
    },
  },
  {
    name: `GET ${path}/{command_id}`,
    answer: answers.command,
    handle: (context, request) => ({
      body: serializeCommand(context, getCommand(context, request)),
    }),
  },
  {
    name: `PATCH ${path}/{command_id}`,
    body: bodies.updateCommand,
    answer: answers.command,
    handle(context, request) {
      const command = getCommand(context, request)
      const definition = { ...command.definition, ...request.body }
      rejectInvalid([definition])
      Object.assign(command, { definition, version: context.ids.next() })
      return { body: serializeCommand(context, command) }
    },
  },
  {
    name: `DELETE ${path}/{command_id}`,
    handle(context, request) {
      context.world.commands.delete(getCommand(context, request).id)
      return {}
    },
  },
])

/** Guild of a request, or null for global commands. */
function scopeOf(context: Context, { params }: RestRequest): string | null {
  if (params.application_id !== context.application.id) throw refusal(50001)
  const { guild_id: guildId } = params
  if (guildId === undefined) return null
  if (!context.world.getGuild(guildId).members.has(context.application.botId)) throw refusal(50001)
  return guildId
}

function listCommands({ world }: Context, guildId: string | null): Command[] {
  return [...world.commands.values()].filter((command) => command.guildId === guildId)
}

function serializeAll(context: Context, guildId: string | null): JsonObject[] {
  return listCommands(context, guildId).map((command) => serializeCommand(context, command))
}

function getCommand(context: Context, request: RestRequest): Command {
  const guildId = scopeOf(context, request)
  const command = context.world.commands.get(request.params.command_id ?? '')
  if (!command || command.guildId !== guildId) throw refusal(10063)
  return command
}

function typeOf(definition: JsonObject): number {
  return typeof definition.type === 'number' ? definition.type : 1
}

function findByName(context: Context, guildId: string | null, definition: JsonObject) {
  return listCommands(context, guildId).find(
    (command) =>
      command.definition.name === definition.name &&
      typeOf(command.definition) === typeOf(definition),
  )
}

/** Replaces all commands; those with a known name keep their ID and are not counted as created. */
function overwriteCommands(context: Context, request: RestRequest) {
  const guildId = scopeOf(context, request)
  rejectInvalid(request.list)
  const names = request.list.map((definition) => `${typeOf(definition)} ${definition.name}`)
  const duplicate = names.findIndex((name, index) => names.indexOf(name) !== index)
  if (duplicate >= 0)
    throw invalidBody([
      {
        path: [duplicate],
        code: 'APPLICATION_COMMANDS_DUPLICATE_NAME',
        message: 'Application command names must be unique',
      },
    ])
  for (const [type, limit] of Object.entries(limitsByType))
    if (request.list.filter((definition) => typeOf(definition) === Number(type)).length > limit)
      throw refusal(30032)
  for (const command of listCommands(context, guildId))
    if (!names.includes(`${typeOf(command.definition)} ${command.definition.name}`))
      context.world.commands.delete(command.id)
  for (const definition of request.list) storeCommand(context, guildId, definition)
  return { body: serializeAll(context, guildId) }
}

function storeCommand(context: Context, guildId: string | null, definition: JsonObject): Command {
  const { world, ids, clock } = context
  const known = findByName(context, guildId, definition)
  if (!known) {
    const scope = guildId ?? 'global'
    const recent = (world.commandCreations.get(scope) ?? []).filter(
      (at) => at > clock.now() - DAY_MS,
    )
    if (recent.length >= CREATES_PER_DAY) throw refusal(30034)
    world.commandCreations.set(scope, [...recent, clock.now()])
  }
  const command = { id: known?.id ?? ids.next(), guildId, version: ids.next(), definition }
  world.commands.set(command.id, command)
  return command
}

function rejectTooMany(context: Context, guildId: string | null): void {
  for (const [type, limit] of Object.entries(limitsByType)) {
    const same = listCommands(context, guildId).filter(
      ({ definition }) => typeOf(definition) === Number(type),
    )
    const last = same.at(-1)
    if (same.length <= limit || !last) continue
    context.world.commands.delete(last.id)
    throw refusal(30032)
  }
}

/** Rules that the document's schemas do not express. */
function rejectInvalid(definitions: JsonObject[]): void {
  const isList = definitions.length !== 1
  const errors = definitions.flatMap((definition, index) =>
    commandErrors(definition).map((error) => ({
      ...error,
      path: isList ? [index, ...error.path] : error.path,
    })),
  )
  if (errors.length > 0) throw invalidBody(errors)
}

function commandErrors(definition: JsonObject): FieldError[] {
  const errors: FieldError[] = []
  const name = String(definition.name)
  const isChat = typeOf(definition) === 1
  if (isChat && (!namePattern.test(name) || name !== name.toLowerCase()))
    errors.push(invalidName([]))
  if (isChat && !definition.description)
    errors.push({
      path: ['description'],
      code: 'BASE_TYPE_REQUIRED',
      message: 'This field is required',
    })
  if (!isChat && (definition.description || listOf(definition.options).length > 0))
    errors.push({
      path: ['description'],
      code: 'APPLICATION_COMMAND_CONTEXT_MENU_DESCRIPTION',
      message: 'Context menu commands cannot have a description or options',
    })
  errors.push(...optionErrors(listOf(definition.options), ['options']))
  if (characters(definition) > MAX_CHARACTERS)
    errors.push({
      path: [],
      code: 'APPLICATION_COMMAND_TOO_LARGE',
      message: `Command exceeds maximum size (${MAX_CHARACTERS})`,
    })
  return errors
}

function invalidName(path: (string | number)[]): FieldError {
  return {
    path: [...path, 'name'],
    code: 'APPLICATION_COMMAND_INVALID_NAME',
    message: 'Command name is invalid',
  }
}

function optionErrors(options: JsonObject[], path: (string | number)[]): FieldError[] {
  const errors: FieldError[] = []
  let seenOptional = false
  options.forEach((option, index) => {
    const at = [...path, index]
    const name = String(option.name)
    if (!namePattern.test(name) || name !== name.toLowerCase()) errors.push(invalidName(at))
    if (options.findIndex((other) => other.name === option.name) !== index)
      errors.push({
        path: at,
        code: 'APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS',
        message: 'Option names must be unique',
      })
    if (option.required === true && seenOptional)
      errors.push({
        path: at,
        code: 'APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID',
        message: 'Required options must be placed before non-required options',
      })
    seenOptional ||= option.required !== true
    if (option.autocomplete === true && listOf(option.choices).length > 0)
      errors.push({
        path: at,
        code: 'APPLICATION_COMMAND_OPTIONS_AUTOCOMPLETE_CHOICES',
        message: 'Autocomplete options cannot have choices',
      })
    errors.push(...optionErrors(listOf(option.options), [...at, 'options']))
  })
  return errors
}

/** Characters of names, descriptions and values that count towards the limit of 8,000. */
function characters(definition: JsonObject): number {
  const own = [definition.name, definition.description, definition.value]
  const length = own.reduce(
    (sum: number, text) => sum + (typeof text === 'string' ? text.length : 0),
    0,
  )
  const inner = [...listOf(definition.options), ...listOf(definition.choices)]
  return inner.reduce((sum, item) => sum + characters(item), length)
}
