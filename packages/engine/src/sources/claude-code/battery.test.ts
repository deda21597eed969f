import { fileURLToPath } from 'node:url'
import { describeSource } from '../battery/describe-source.ts'
import { lineFiles } from '../battery/line-files.ts'
import { asked, linesOf, pathOf } from './claude-code.test-kit.ts'
import { claudeCodeSource } from './index.ts'

describeSource('claude-code', {
  open: (folder) =>
    lineFiles({
      source: claudeCodeSource(folder),
      fileOf: (id) => pathOf(folder, id),
      lineOf: (text) => linesOf([asked(text)]),
      writer: fileURLToPath(new URL('./writer.child.ts', import.meta.url)),
    }),
})
