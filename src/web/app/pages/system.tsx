import { settings as table } from '../../../model/settings'
import { SECOND } from '../../../model/time'
import { AccountsCard } from '../parts/accounts'
import { Icon } from '../parts/icon'
import { Markdown } from '../parts/markdown'
import { Page } from '../parts/page'
import { CopyId, Fact, ProfileHead } from '../parts/profile'
import { WebhookCard } from '../parts/webhook'
import { settings, system, zone } from '../store'
import { spellLength } from '../time'
import { words } from '../words'
import { editWords } from '../words/edit'
import { systemWords } from '../words/system'

/** The system itself: how it is called, its settings, who is told, who may speak for it. */
export function SystemPage() {
  const own = system.value
  if (!own) return null
  const name = own.name || systemWords.noName
  return (
    <Page place={words.system}>
      <ProfileHead of={{ ...own, name, display_name: null }} picture={own.avatar_url}>
        <div class="named">
          <h2 class="title">
            <bdi>{name}</bdi>
          </h2>
          {own.pronouns && <p class="quiet">{own.pronouns}</p>}
        </div>
        <div class="row">
          <button type="button" onClick={() => go('#/system/edit')}>
            <Icon name="edit" />
            {systemWords.editSystem}
          </button>
          <a class="button" href={`#/systems/${own.id}`}>
            <Icon name="eye" />
            {systemWords.publicPage}
          </a>
        </div>
      </ProfileHead>
      {own.description && <Markdown text={own.description} />}
      <div class="two-sides">
        <dl class="card facts">
          {own.tag && <Fact name={editWords.fields.tag ?? ''}>{own.tag}</Fact>}
          <Fact name={editWords.fields.timezone ?? ''}>{zone.value}</Fact>
          <CopyId id={own.id} />
        </dl>
        <SettingsCard />
        <WebhookCard />
        <AccountsCard />
      </div>
    </Page>
  )
}

/** What is set, as far as it is not as usual. */
function SettingsCard() {
  const now = settings.value
  const unusual = table.entries.filter(
    ([key, field]) =>
      key !== 'timezone' &&
      !field.readonly &&
      now &&
      !isUsual(now[key as keyof typeof now], field.defaultValue),
  )
  return (
    <section class="card" aria-labelledby="settings">
      <h2 id="settings">{systemWords.settings}</h2>
      {unusual.length === 0 ? (
        <p class="quiet">{systemWords.allUsual}</p>
      ) : (
        <dl class="facts">
          {unusual.map(([key]) => (
            <Fact key={key} name={editWords.fields[key] ?? key}>
              {now && tellSetting(key, now[key as keyof typeof now])}
            </Fact>
          ))}
        </dl>
      )}
      <button type="button" onClick={() => go('#/system/settings')}>
        {systemWords.changeSettings}
      </button>
    </section>
  )
}

function isUsual(value: unknown, initial: unknown): boolean {
  return JSON.stringify(value) === JSON.stringify(initial)
}

function tellSetting(key: string, value: unknown): string {
  if (typeof value === 'boolean') return value ? systemWords.on : systemWords.off
  if (Array.isArray(value)) return String(value.length)
  if (key === 'latch_timeout') return tellLatch(Number(value))
  return systemWords.choices[String(value)] ?? String(value)
}

function tellLatch(seconds: number): string {
  return seconds === 0 ? systemWords.latchNever : spellLength(seconds * SECOND)
}

function go(hash: string): void {
  location.hash = hash
}
