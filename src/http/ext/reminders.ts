import { reminderTestToExt } from '../../serializers/ext'
import type { Deps } from '../../service/core/deps'
import {
  createReminder,
  deleteReminder,
  listReminders,
  patchReminder,
  testReminder,
} from '../../service/reminders/reminders'
import { describe, ownWriteErrors } from '../server/openapi'
import { idParams, ownedRoutes, serializerOf } from './ownedRoutes'

const serialize = serializerOf('reminders')

export function reminderRoutes(deps: Deps, bodyLimit: number) {
  return ownedRoutes(deps, bodyLimit, {
    list: 'reminders',
    tag: 'Reminders',
    docs: {
      create:
        'A reminder of the kind `repeat` needs `every_days`, `at` and `from`, one of the kind `after_switch` needs `after` and `on`.',
      patch:
        'Changes only the given keys. With `enabled: false`, or with another `on`, `due` becomes null. Another `kind` removes the keys of the former one.',
      delete: 'Permanently deletes the reminder.',
    },
    operations: { create: createReminder, patch: patchReminder, delete: deleteReminder },
    serialize,
    listing: {
      read: listReminders,
      isPaged: false,
      serialize,
      description: 'Returns all reminders of your system, oldest first.',
    },
  }).post(
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
        errors: [...ownWriteErrors, 'reminderNotFound'],
      }),
    },
  )
}
