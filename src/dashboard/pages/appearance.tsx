import { useState } from 'preact/hooks'
import { type Appearance, appearance, changeAppearance, choices } from '../core/appearance'
import { listedLanguages } from '../core/language'
import { isOffline, preferences, savePreferences } from '../core/store'
import { useAction } from '../core/useAction'
import { findText, moreStrings, strings } from '../texts/texts'
import { ChipGroup } from '../ui/chipGroup'
import { Form, TextField } from '../ui/form/textField'
import { Page } from '../ui/page'

/** Appearance in this browser, and the word for members, which is stored on the server. */
export function AppearancePage() {
  return (
    <Page title={strings.appearance}>
      <p class="quiet">{moreStrings.savedHere}</p>
      <div class="card">
        {Object.keys(choices).map((name) => (
          <Choice key={name} name={name as keyof Appearance} />
        ))}
      </div>
      <WordForMembers />
    </Page>
  )
}

function Choice({ name }: { name: keyof Appearance }) {
  return (
    <ChipGroup
      legend={moreStrings.names[name]}
      options={optionsOf(name)}
      value={appearance.value[name]}
      onChange={(value) => changeAppearance({ [name]: value })}
    >
      {name === 'pictures' && <p class="quiet small">{moreStrings.picturesMore}</p>}
    </ChipGroup>
  )
}

/** Languages are listed by their own names, without those for tests. */
function optionsOf(name: keyof Appearance): (readonly [string, string])[] {
  const titles = moreStrings.values[name]
  if (name === 'language')
    return [['device', moreStrings.values.language.device], ...listedLanguages]
  return choices[name].map((value) => [
    value,
    findText(titles, value) ?? moreStrings.percent(Number(value)),
  ])
}

function WordForMembers() {
  const { word } = preferences.value
  const commonWords = Object.entries(strings.words)
  const [customWord, setCustomWord] = useState(
    commonWords.some(([name]) => name === word) ? '' : word,
  )
  const { run, onSubmit, problem } = useAction({ canOverlap: true })
  const save = (value: string) => savePreferences({ word: value })
  return (
    <div class="card">
      <ChipGroup
        legend={moreStrings.wordForMembers}
        options={commonWords.map(([name, { many }]) => [name, many])}
        value={word}
        onChange={(value) => run(() => save(value))}
        isDisabled={isOffline.value}
      />
      <Form onSubmit={onSubmit(() => customWord.trim() !== '' && save(customWord.trim()))}>
        <TextField
          name="word"
          label={moreStrings.ownWord}
          value={customWord}
          problem={problem}
          onChange={setCustomWord}
          input={{ maxLength: 30 }}
        />
        <button type="submit" aria-disabled={isOffline.value}>
          {strings.save}
        </button>
      </Form>
      <p class="quiet small">{moreStrings.wordMore}</p>
    </div>
  )
}
