import { Card, CardRow } from '../design/card.tsx'
import { Segmented } from '../design/segmented.tsx'
import { chooseNight, nightGraph } from '../live/dark-graph.ts'
import { chooseTheme, themeChoice } from '../shell/theme.ts'
import { useStore } from '../store.ts'
import { words } from '../words.ts'
import { Block } from './block.tsx'

const w = words.theme
const n = words.live.night

export function AppearanceBlock() {
  const choice = useStore(themeChoice)
  const night = useStore(nightGraph)
  return (
    <Block id="appearance" title={words.settings.appearance.title}>
      <Card>
        <CardRow
          title={w.title}
          detail={w.detail}
          end={
            <Segmented
              label={w.title}
              value={choice}
              onChange={chooseTheme}
              segments={[
                { value: 'dark', label: w.dark },
                { value: 'light', label: w.light },
                { value: 'system', label: w.system },
              ]}
            />
          }
        />
        <CardRow
          title={n.title}
          detail={n.detail}
          end={
            <Segmented
              label={n.title}
              value={night ? 'on' : 'off'}
              onChange={(value) => chooseNight(value === 'on')}
              segments={[
                { value: 'on', label: n.on },
                { value: 'off', label: n.off },
              ]}
            />
          }
        />
      </Card>
    </Block>
  )
}
