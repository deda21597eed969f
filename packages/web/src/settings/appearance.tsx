import { Card, CardRow } from '../design/card.tsx'
import { Segmented } from '../design/segmented.tsx'
import { chooseTheme, themeChoice } from '../shell/theme.ts'
import { useStore } from '../store.ts'
import { words } from '../words.ts'
import { Block } from './block.tsx'

const w = words.theme

export function AppearanceBlock() {
  const choice = useStore(themeChoice)
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
      </Card>
    </Block>
  )
}
