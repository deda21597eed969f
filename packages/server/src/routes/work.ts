import { isAbsolute } from 'node:path'
import { isKept } from '@panoptes/engine/home'
import { backupRequest, rebuildRequest, workLine } from '@panoptes/schema'
import { backupFile } from '../backups.ts'
import type { Kit } from '../kit.ts'
import { badInput } from '../problem.ts'
import { NDJSON_TYPE, type Route, route } from '../route.ts'

const reply = { type: NDJSON_TYPE, schema: workLine }

export const workRoutes = ({ options: { ledger, paths }, works }: Kit): readonly Route[] => [
  route({
    method: 'POST',
    path: '/api/backup',
    scope: 'full',
    home: true,
    summary: 'Copy the ledger while it is in use; progress and the result come line by line.',
    body: backupRequest,
    reply,
    answer: async ({ body, about }) => {
      const file = body.path ?? backupFile(paths, new Date())
      about(file)
      if (!isAbsolute(file)) return badInput('body', [{ path: 'path', reason: 'must be an absolute path' }])
      if (await isKept(paths, file))
        return badInput('body', [{ path: 'path', reason: 'must not be a file that Panoptes keeps itself' }])
      return works.start('backup', async (work) => {
        const made = await ledger.backup(file, { ...work, replace: body.replace })
        if (made.ok) works.madeBackup({ path: made.value.path, at: Date.now(), bytes: made.value.bytes })
        return made
      })
    },
  }),
  route({
    method: 'POST',
    path: '/api/rebuild',
    scope: 'full',
    role: 'admin',
    summary: 'Compute every projection anew from the log, or only compare; progress comes line by line.',
    body: rebuildRequest,
    reply,
    answer: ({ body, about }) => {
      if (body.check) about('check')
      return works.start('rebuild', (work) => ledger.rebuild({ check: body.check, ...work }))
    },
  }),
]
