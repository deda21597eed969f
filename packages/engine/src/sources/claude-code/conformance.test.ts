import { fileURLToPath } from 'node:url'
import { describeSource } from '../conformance/describe-source.ts'
import { lineFiles } from '../conformance/line-files.ts'
import { linesOf, pathOf, promptRow } from './claude-code.test-kit.ts'
import { claudeCodeSource } from './index.ts'

describeSource('claude-code', {
  open: (folder) =>
    lineFiles({
      source: claudeCodeSource(folder),
      fileOf: (id) => pathOf(folder, id),
      lineOf: (text) => linesOf([promptRow(text)]),
      writer: fileURLToPath(new URL('./writer.child.ts', import.meta.url)),
    }),
})
