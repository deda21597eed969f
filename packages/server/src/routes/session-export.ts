import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { Sessions } from '@panoptes/engine/sessions'
import { type ExportFormat, sessionExportQuery } from '@panoptes/schema'
import { z } from 'zod'
import type { AppContext } from '../app-context.ts'
import { toRefusal } from '../problem.ts'
import { NDJSON_TYPE, type Route, route } from '../route.ts'

const TYPES: Readonly<Record<ExportFormat, readonly [type: string, ending: string]>> = {
  jsonl: [NDJSON_TYPE, 'jsonl'],
  markdown: ['text/markdown; charset=utf-8', 'md'],
  html: ['text/html; charset=utf-8', 'html'],
}

export const sessionExportRoutes = ({ options: { sessions } }: AppContext): readonly Route[] =>
  sessions === undefined ? [] : [getExport(sessions)]

const getExport = (sessions: Sessions): Route =>
  route({
    method: 'GET',
    path: '/api/past/sessions/:source/:id/export',
    scope: 'full',
    summary: 'A whole session as JSON lines, Markdown or an HTML page, with secrets redacted.',
    params: z.object({ source: z.string(), id: z.string() }),
    query: sessionExportQuery,
    reply: { type: '*/*' },
    answer: async ({ params, query: { format } }) => {
      const folder = await mkdtemp(join(tmpdir(), 'panoptes-export-'))
      try {
        const file = join(folder, 'session')
        const written = await sessions.export({ ...params, format, file })
        if (!written.ok) return toRefusal(written)
        const handle = await open(file)
        const [type, ending] = TYPES[format]
        // The file is deleted while it is open, so it is gone once it was sent or the client disconnected.
        return new Response(Readable.toWeb(handle.createReadStream()) as ReadableStream, {
          headers: {
            'content-type': type,
            'content-length': String(written.value.bytes),
            'content-disposition': `attachment; filename="${exportName(params.id)}.${ending}"`,
          },
        })
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    },
  })

const exportName = (id: string): string => `panoptes-${id.replace(/[^\w-]+/g, '-').slice(0, 60)}`
