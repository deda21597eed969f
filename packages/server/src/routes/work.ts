import { isAbsolute } from 'node:path'
import { isInHome } from '@panoptes/engine/home'
import { backupRequest, rebuildRequest, workLine } from '@panoptes/schema'
import type { AppContext } from '../app-context.ts'
import { badInput } from '../problem.ts'
import { NDJSON_TYPE, type Route, route } from '../route.ts'
import { backupFile } from '../work.ts'

const reply = { type: NDJSON_TYPE, schema: workLine }

export const workRoutes = ({ options: { store, paths }, workRunner }: AppContext): readonly Route[] => [
  route({
    method: 'POST',
    path: '/api/backup',
    scope: 'full',
    home: true,
    summary:
      'Back up the store while it is in use. The response reports progress and the result line by line.',
    body: backupRequest,
    reply,
    answer: async ({ body, setTarget }) => {
      const file = body.path ?? backupFile(paths, new Date())
      setTarget(file)
      if (!isAbsolute(file)) return badInput('body', [{ path: 'path', reason: 'must be an absolute path' }])
      if (await isInHome(paths, file))
        return badInput('body', [{ path: 'path', reason: 'must not be a file of Panoptes itself' }])
      return workRunner.start('backup', async (work) => {
        const made = await store.backup(file, { ...work, replace: body.replace })
        if (made.ok)
          workRunner.recordBackup({ path: made.value.path, at: Date.now(), bytes: made.value.bytes })
        return made
      })
    },
  }),
  route({
    method: 'POST',
    path: '/api/rebuild',
    scope: 'full',
    role: 'admin',
    summary:
      'Rebuild every projection from the event log, or only compare them. The response reports progress line by line.',
    body: rebuildRequest,
    reply,
    answer: ({ body, setTarget }) => {
      if (body.check) setTarget('check')
      return workRunner.start('rebuild', (work) => store.rebuild({ check: body.check, ...work }))
    },
  }),
]
