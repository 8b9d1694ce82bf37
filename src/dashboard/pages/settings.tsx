import { type Settings, settings as table } from '../../model/systems/settings'
import { request } from '../api/client'
import { settingsPath } from '../api/paths'
import { goTo } from '../core/route'
import { memberWord, settings } from '../core/store'
import { useForm } from '../features/form/form'
import { Fold, FormPage } from '../features/form/formPage'
import { FlagLine, TextLine } from '../features/form/lines'
import { ChoiceLine, LatchLine, TemplatesLine, ZoneLine } from '../features/form/setting'
import { editStrings, strings, systemStrings } from '../texts/texts'

const time = ['timezone']
const proxying = [
  'name_format',
  'proxy_switch',
  'latch_timeout',
  'case_sensitive_proxy_tags',
  'pings_enabled',
  'proxy_error_message_enabled',
]
const newOnes = ['member_default_private', 'group_default_private', 'description_templates']
const shown = ['hid_list_padding', 'show_private_info', 'hid_display_split', 'hid_display_caps']

/** Settings for bots, and the time zone. */
export function SettingsPage() {
  return settings.value && <Editing own={{ uuid: 'settings', privacy: null, ...settings.value }} />
}

type OwnSettings = Settings & { uuid: string; privacy: null }

function Editing({ own }: { own: OwnSettings }) {
  const form = useForm<OwnSettings>(table, own, {
    async send(body) {
      const saved = await request(settingsPath, { method: 'PATCH', body })
      return saved && { ...own, ...saved }
    },
    onSaved(saved) {
      settings.value = saved
      goTo('#/system')
    },
  })
  return (
    <FormPage
      form={form}
      title={editStrings.editSettings}
      back="#/system"
      backName={strings.system}
      below={null}
    >
      <Fold title={systemStrings.time} form={form} keys={time} isFirst>
        <ZoneLine form={form} name="timezone" />
      </Fold>
      <Fold title={systemStrings.proxying} form={form} keys={proxying} isFirst>
        <TextLine form={form} name="name_format" />
        <ChoiceLine form={form} name="proxy_switch" titles={{ off: systemStrings.switchOff }} />
        <LatchLine form={form} name="latch_timeout" />
        <div class="line">
          <FlagLine form={form} name="case_sensitive_proxy_tags" />
          <FlagLine form={form} name="pings_enabled" />
          <FlagLine form={form} name="proxy_error_message_enabled" />
        </div>
      </Fold>
      <Fold title={systemStrings.newOnes(memberWord.value)} form={form} keys={newOnes}>
        <div class="line">
          <FlagLine form={form} name="member_default_private" />
          <FlagLine form={form} name="group_default_private" />
        </div>
        <TemplatesLine form={form} name="description_templates" />
      </Fold>
      <Fold title={systemStrings.shownByBots} form={form} keys={shown}>
        <ChoiceLine form={form} name="hid_list_padding" />
        <div class="line">
          <FlagLine form={form} name="show_private_info" />
          <FlagLine form={form} name="hid_display_split" />
          <FlagLine form={form} name="hid_display_caps" />
        </div>
      </Fold>
    </FormPage>
  )
}
