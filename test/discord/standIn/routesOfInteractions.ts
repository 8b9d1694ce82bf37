import { answerInteraction } from './interactions'
import type { Route } from './rest'
import { answers } from './schemas'

export const routesOfInteractions: Route[] = [
  {
    name: 'POST /interactions/{interaction_id}/{interaction_token}/callback',
    answer: answers.callback,
    isPublic: true,
    handle: answerInteraction,
  },
]
