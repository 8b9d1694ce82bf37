import { useState } from 'preact/hooks'
import { explainRefusal } from '../client'
import { changeLook, choices, type Look, look } from '../look'
import { Page } from '../parts/page'
import { isAway, preferences, savePreferences } from '../store'
import { words } from '../words'

/** How it looks, in this browser; and the word for members, everywhere. */
export function LookPage() {
  return (
    <Page place={words.look}>
      <p class="quiet">{words.keptHere}</p>
      <div class="card">
        {Object.keys(choices).map((name) => (
          <Choice key={name} name={name as keyof Look} />
        ))}
      </div>
      <WordForMembers />
    </Page>
  )
}

function Choice({ name }: { name: keyof Look }) {
  const titles: Readonly<Record<string, string>> = words.lookValues[name]
  return (
    <fieldset class="choice">
      <legend>{words.lookNames[name]}</legend>
      <div class="chips">
        {choices[name].map((value) => (
          <button
            key={value}
            type="button"
            class="chip"
            aria-pressed={look.value[name] === value}
            onClick={() => changeLook({ [name]: value })}
          >
            {titles[value]}
          </button>
        ))}
      </div>
      {name === 'pictures' && <p class="quiet small">{words.picturesMore}</p>}
    </fieldset>
  )
}

const usualWords = ['members', 'alters', 'headmates', 'parts', 'people']

function WordForMembers() {
  const { word } = preferences.value
  const [own, setOwn] = useState(usualWords.includes(word) ? '' : word)
  const [problem, setProblem] = useState('')
  const save = async (value: string) => {
    setProblem('')
    if (isAway.value) return setProblem(words.notConnected)
    await savePreferences({ word: value }).catch((cause) =>
      setProblem(explainRefusal(cause, words.away)),
    )
  }
  return (
    <div class="card">
      <fieldset class="choice">
        <legend>{words.wordForMembers}</legend>
        <div class="chips">
          {usualWords.map((one) => (
            <button
              key={one}
              type="button"
              class="chip"
              aria-pressed={word === one}
              aria-disabled={isAway.value}
              onClick={() => save(one)}
            >
              {one}
            </button>
          ))}
        </div>
      </fieldset>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (own.trim() !== '') save(own.trim())
        }}
      >
        <label class="field">
          {words.ownWord}
          <input
            value={own}
            maxLength={30}
            aria-describedby="word-problem"
            onInput={(event) => setOwn(event.currentTarget.value)}
          />
        </label>
        <p id="word-problem" class="problem" role="alert">
          {problem}
        </p>
        <button type="submit" aria-disabled={isAway.value}>
          {words.save}
        </button>
      </form>
      <p class="quiet small">{words.wordMore}</p>
    </div>
  )
}
