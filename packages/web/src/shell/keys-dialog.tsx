import { Dialog } from '../design/dialog.tsx'
import { KeyCap } from '../design/key-cap.tsx'
import { words } from '../words.ts'
import { navItems } from './nav.ts'
import { closeOverlay } from './overlays.ts'
import { modKey } from './use-keys.ts'

const w = words.keys
const l = words.live.keys
const t = words.transcript
const a = words.achievements.keys
const p = words.templates.keys
const d = words.ledger.keys
const m = words.moa.keys
const c = words.chat.keys

type KeyRow = readonly [keys: readonly string[], what: string]

const groups: readonly { readonly title: string; readonly rows: readonly KeyRow[] }[] = [
  {
    title: w.everywhere,
    rows: [
      [[`${modKey}K`], w.palette],
      ...navItems.map((page): KeyRow => [[page.key], w.page(page.label)]),
      [['n'], w.needs],
      [['?'], w.help],
      [['Esc'], w.close],
    ],
  },
  {
    title: w.inLive,
    rows: [
      [['←', '↑', '↓', '→'], l.arrows],
      [['f'], l.fit],
      [['t'], l.table],
      [['/'], w.filter],
      [['space'], l.play],
      [[',', '.'], l.step],
      [['[', ']'], l.speed],
      [['w', 'x', 's'], l.jump],
      [['l'], l.live],
    ],
  },
  {
    title: w.inSessions,
    rows: [
      [['/'], w.search],
      [['j', 'k'], w.choose],
      [['↵'], w.read],
      [['j', 'k'], w.messages],
      [['o'], t.keyFold],
      [['O'], t.keyFoldAll],
      [['e'], t.keyError],
      [['c'], t.keyCopy],
      [['g'], t.keyLive],
    ],
  },
  {
    title: w.inAchievements,
    rows: [
      [['j', 'k'], a.next],
      [['o'], a.fold],
      [['s'], a.share],
      [['r'], a.rescan],
    ],
  },
  {
    title: w.inTemplates,
    rows: [
      [['j', 'k'], p.choose],
      [['↵'], p.open],
      [['Esc'], p.close],
    ],
  },
  {
    title: w.inLedger,
    rows: [
      [['j', 'k'], d.choose],
      [['↵'], d.open],
      [['←', '→'], d.plots],
      [['Esc'], d.close],
    ],
  },
  {
    title: w.inMoa,
    rows: [
      [['j', 'k'], m.choose],
      [['↵'], m.open],
      [['[', ']'], m.step],
      [['c'], m.copy],
      [['Esc'], m.back],
    ],
  },
  {
    title: w.inChat,
    rows: [
      [['↵'], c.send],
      [['Shift ↵'], c.line],
      [['Esc'], c.stop],
      [['i'], c.write],
      [['c'], c.fresh],
      [['/'], c.find],
      [['j', 'k'], c.next],
      [['a'], c.allow],
      [['d'], c.deny],
    ],
  },
  {
    title: w.inEvents,
    rows: [
      [['/'], w.filter],
      [['j', '↓'], w.next],
      [['k', '↑'], w.previous],
      [['c'], w.copy],
      [['f'], w.failed],
      [['space'], w.pause],
      [['l'], w.live],
    ],
  },
]

export default function KeysDialog() {
  return (
    <Dialog open onClose={closeOverlay} title={w.title} width="max-w-140">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it */}
      <div tabIndex={0} className="grid gap-6 overflow-y-auto p-4 desk:grid-cols-2">
        {groups.map((group) => (
          <section key={group.title}>
            <h3 className="pb-2 text-11 font-medium text-text-3">{group.title}</h3>
            <dl className="flex flex-col gap-2">
              {group.rows.map(([keys, what]) => (
                <div key={what} className="flex items-center justify-between gap-4 text-12">
                  <dt className="text-text-2">{what}</dt>
                  <dd className="flex gap-1">
                    {keys.map((key) => (
                      <KeyCap key={key}>{key}</KeyCap>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  )
}
