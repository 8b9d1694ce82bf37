import { reminder } from '../../model/reminders/reminder'
import { reminderTestToExt, toExt } from '../../serializers/ext'
import type { Deps } from '../../service/core/deps'
import {
  createReminder,
  deleteReminder,
  listReminders,
  patchReminder,
  testReminder,
} from '../../service/reminders/reminders'
import { describe, writeErrors } from '../server/openapi'
import { routes } from '../server/routeGroup'
import { idParams, ownedRoutes, ownReadErrors } from './ownedRoutes'

/** Lists reminders, and delivers one as a test. */
export function reminderListRoutes(deps: Deps, bodyLimit: number) {
  return routes(bodyLimit)
    .get(
      '/systems/@me/reminders',
      async ({ viewer }) => (await listReminders(deps, viewer)).map((row) => toExt(reminder, row)),
      {
        detail: describe({
          tag: 'Reminders',
          id: 'listReminders',
          summary: 'List reminders',
          description: 'Returns all reminders of your system, oldest first.',
          requiresAuth: true,
          responses: { 200: ['Reminder'] },
          errors: ownReadErrors,
        }),
      },
    )
    .post(
      '/reminders/:id/test',
      async ({ params, viewer }) => reminderTestToExt(await testReminder(deps, viewer, params.id)),
      {
        params: idParams,
        detail: describe({
          tag: 'Reminders',
          id: 'testReminder',
          summary: 'Test a reminder',
          description:
            'Records the event `REMINDER` with `test` now. `due` does not change. Returns the number of devices that get a notification.',
          responses: { 200: 'ReminderTest' },
          errors: [...writeErrors, 'forbidden', 'reminderNotFound'],
        }),
      },
    )
}

/** Creates, changes and deletes one reminder. */
export function reminderRoutes(deps: Deps, bodyLimit: number) {
  return ownedRoutes(deps, bodyLimit, {
    entity: reminder,
    path: 'reminders',
    name: 'Reminder',
    noun: 'reminder',
    tag: 'Reminders',
    component: 'Reminder',
    missing: 'reminderNotFound',
    errors: [],
    docs: {
      create:
        'A reminder of the kind `repeat` needs `every_days`, `at` and `from`, one of the kind `after_switch` needs `after` and `on`.',
      patch:
        'Changes only the given keys. With `enabled: false`, or with another `on`, `due` becomes null. Another `kind` removes the keys of the former one.',
      delete: 'Permanently deletes the reminder.',
    },
    operations: { create: createReminder, patch: patchReminder, delete: deleteReminder },
    serialize: (redacted) => toExt(reminder, redacted),
  })
}
