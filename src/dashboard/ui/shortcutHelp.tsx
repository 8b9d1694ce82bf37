import { isShortcutHelpOpen } from '../actions/shortcuts'
import { memberWord } from '../core/store'
import { moreStrings, strings } from '../texts/texts'
import { Sheet } from './sheet'

export function ShortcutHelp() {
  const close = () => {
    isShortcutHelpOpen.value = false
  }
  const { shortcutNames } = moreStrings
  const shortcuts = [
    ['/', shortcutNames.search],
    ['s', shortcutNames.switch],
    ['u', strings.undo],
    ['g n', strings.now],
    ['g m', memberWord.value.title],
    ['g h', strings.history],
    ['g i', strings.insights],
    ['?', shortcutNames.help],
  ]
  return (
    <Sheet heading={moreStrings.shortcuts} onClose={close}>
      <dl class="keys">
        {shortcuts.map(([key, description]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{description}</dd>
          </div>
        ))}
      </dl>
      <p class="quiet">{moreStrings.shortcutsMore}</p>
    </Sheet>
  )
}
