import { SECOND } from '../../model/core/time'
import { settings as table } from '../../model/systems/settings'
import { settings, system, zone } from '../core/store'
import { labelOf } from '../features/form/formPage'
import { AccountsCard } from '../features/systems/accounts'
import { WebhookCard } from '../features/systems/webhook'
import { formatDuration } from '../lib/time'
import { findText, memberStrings, strings, systemStrings } from '../texts/texts'
import { Icon } from '../ui/icon'
import { Markdown } from '../ui/markdown'
import { Page } from '../ui/page'
import { CopyId, Fact, ProfileHead } from '../ui/profile'

/** Profile, settings, webhook and accounts of the system. */
export function SystemPage() {
  const ownSystem = system.value
  if (!ownSystem) return null
  const name = ownSystem.name || systemStrings.noName
  return (
    <Page title={strings.system}>
      <ProfileHead of={{ ...ownSystem, name, display_name: null }} picture={ownSystem.avatar_url}>
        <div class="named">
          <h2 class="title">
            <bdi>{name}</bdi>
          </h2>
          {ownSystem.pronouns && (
            <p class="quiet">
              <bdi>{ownSystem.pronouns}</bdi>
            </p>
          )}
        </div>
        <div class="row">
          <button type="button" onClick={() => go('#/system/edit')}>
            <Icon name="edit" />
            {memberStrings.edit}
          </button>
          <a class="button" href={`#/systems/${ownSystem.id}`}>
            <Icon name="eye" />
            {systemStrings.publicPage}
          </a>
        </div>
      </ProfileHead>
      {ownSystem.description && <Markdown text={ownSystem.description} />}
      <div class="two-sides">
        <dl class="card facts">
          {ownSystem.tag && (
            <Fact name={labelOf('tag')}>
              <bdi>{ownSystem.tag}</bdi>
            </Fact>
          )}
          <Fact name={labelOf('timezone')}>{zone.value}</Fact>
          <CopyId id={ownSystem.id} />
        </dl>
        <SettingsCard />
        <WebhookCard />
        <AccountsCard />
      </div>
    </Page>
  )
}

/** Lists the settings that differ from their defaults. */
function SettingsCard() {
  const now = settings.value
  const changed = table.entries.filter(
    ([key, field]) =>
      key !== 'timezone' &&
      !field.readonly &&
      now &&
      !isDefault(now[key as keyof typeof now], field.defaultValue),
  )
  return (
    <section class="card" aria-labelledby="settings">
      <h2 id="settings">{systemStrings.settings}</h2>
      {changed.length === 0 ? (
        <p class="quiet">{systemStrings.allDefaults}</p>
      ) : (
        <dl class="facts">
          {changed.map(([key]) => (
            <Fact key={key} name={labelOf(key)}>
              {now && describeSetting(key, now[key as keyof typeof now])}
            </Fact>
          ))}
        </dl>
      )}
      <button type="button" onClick={() => go('#/system/settings')}>
        {systemStrings.changeSettings}
      </button>
    </section>
  )
}

function isDefault(value: unknown, initial: unknown): boolean {
  return JSON.stringify(value) === JSON.stringify(initial)
}

function describeSetting(key: string, value: unknown): string {
  if (typeof value === 'boolean') return value ? systemStrings.on : systemStrings.off
  if (Array.isArray(value)) return systemStrings.templates(value.length)
  if (key === 'latch_timeout') return describeLatch(Number(value))
  return findText(systemStrings.choices, String(value)) ?? String(value)
}

function describeLatch(seconds: number): string {
  return seconds === 0 ? systemStrings.latchNever : formatDuration(seconds * SECOND)
}

function go(hash: string): void {
  location.hash = hash
}
