import { Command } from '../design/command.tsx'
import { NothingYet } from '../design/nothing-yet.tsx'
import { useCommand } from '../shell/use-command.ts'
import { words } from '../words.ts'

const w = words.events.empty

export function NoEvents() {
  const command = useCommand()
  return (
    <NothingYet title={w.title} sources={w.sources}>
      <p className="text-text-2">{w.body}</p>
      <Command text={w.demo(command)} />
      <p className="pt-1 text-text-2">{w.post}</p>
      <Command text={w.example(location.origin)} />
    </NothingYet>
  )
}
