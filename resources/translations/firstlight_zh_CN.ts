<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>AblationBars</name>
    <message>
        <source>Reopened, ms</source>
        <translation>重新打开（毫秒）</translation>
    </message>
    <message>
        <source>{name}: TTFT {ttft} ms, P95 {ttft_p95} ms, reopened {reopened} ms, TPOT {tpot} ms, P95 {tpot_p95} ms, memory {memory} MB, whole chat {total} s {change}</source>
        <translation>{name}：TTFT {ttft} 毫秒，P95 {ttft_p95} 毫秒，重新打开 {reopened} 毫秒，TPOT {tpot} 毫秒，P95 {tpot_p95} 毫秒，内存 {memory} MB，整个对话 {total} 秒 {change}</translation>
    </message>
    <message>
        <source>TTFT P50 · P95, ms</source>
        <translation>TTFT P50 · P95（毫秒）</translation>
    </message>
    <message>
        <source>TPOT P50 · P95, ms</source>
        <translation>TPOT P50 · P95（毫秒）</translation>
    </message>
    <message>
        <source>Memory, MB</source>
        <translation>内存（MB）</translation>
    </message>
    <message>
        <source>Whole chat, s</source>
        <translation>整个对话（秒）</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>变化</translation>
    </message>
    <message>
        <source>{share} noise</source>
        <translation>{share} 噪声</translation>
    </message>
    <message>
        <source>▲ {share} slower</source>
        <translation>▲ {share} 变慢</translation>
    </message>
</context>
<context>
    <name>AblationController</name>
    <message>
        <source>Cancelled.</source>
        <translation>已取消。</translation>
    </message>
</context>
<context>
    <name>AblationDialog</name>
    <message>
        <source>What each technique brings</source>
        <translation>各项技术的效果</translation>
    </message>
    <message>
        <source>One chat is run on your model and machine, each time with one technique more: a short question, a long document, more turns, the chat opened again, a text to edit. It takes some minutes; other work on the machine blurs the figures.</source>
        <translation>在您的模型和机器上运行同一段对话，每次多启用一项技术：短问题、长文档、更多轮次、重新打开对话、待编辑的文本。需要几分钟；机器上的其他工作会影响数据。</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>进度</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>测量</translation>
    </message>
    <message>
        <source>plain</source>
        <translation>基线</translation>
    </message>
    <message>
        <source>+ flash attention</source>
        <translation>+ Flash Attention</translation>
    </message>
    <message>
        <source>+ KV q8_0</source>
        <translation>+ KV q8_0</translation>
    </message>
    <message>
        <source>+ prefix reuse</source>
        <translation>+ 前缀复用</translation>
    </message>
    <message>
        <source>+ snapshots</source>
        <translation>+ 快照</translation>
    </message>
    <message>
        <source>+ prefill while typing</source>
        <translation>+ 输入时预填充</translation>
    </message>
    <message>
        <source>+ speculative</source>
        <translation>+ 推测解码</translation>
    </message>
    <message>
        <source>quality of KV types</source>
        <translation>KV 类型的质量</translation>
    </message>
    <message>
        <source>{model} will be measured.</source>
        <translation>将测量 {model}。</translation>
    </message>
    <message>
        <source>Choose a model in the window first.</source>
        <translation>请先在窗口中选择模型。</translation>
    </message>
    <message>
        <source>{n} of {total}: {name}</source>
        <translation>第 {n} / {total} 步：{name}</translation>
    </message>
    <message numerus="yes">
        <source>KV {type} against f16: {divergence} nats of KL divergence, the same likeliest token at {share} of {n} positions</source>
        <translation>
            <numerusform>KV {type} 与 f16 相比：KL 散度 {divergence} nat，{n} 个位置中有 {share} 的最可能 token 相同</numerusform>
        </translation>
    </message>
    <message>
        <source>Solid: median, faded: up to P95; less is better. Reopened: the first answer after a restart.
Change: of the whole chat, against the step before. Noise: the runs of both steps overlap.</source>
        <translation>实色：中位数，淡色：至 P95；越小越好。重新打开：重启后的第一个回答。
变化：整个对话与上一步相比。噪声：两步的各次测量相互重叠。</translation>
    </message>
    <message numerus="yes">
        <source>{model}, {n} runs of each step</source>
        <translation>
            <numerusform>{model}，每步 {n} 次</numerusform>
        </translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
</context>
<context>
    <name>AblationRunner</name>
    <message>
        <source>The measurement could not be started: {reason}</source>
        <translation>无法开始测量：{reason}</translation>
    </message>
    <message>
        <source>exit code {code}</source>
        <translation>退出码 {code}</translation>
    </message>
    <message>
        <source>The measurement&apos;s figures could not be read: {reason}</source>
        <translation>无法读取测量数据：{reason}</translation>
    </message>
</context>
<context>
    <name>AboutPage</name>
    <message>
        <source>About</source>
        <translation>关于</translation>
    </message>
    <message>
        <source>Firstlight shows, explains and shortens the wait for a first token.</source>
        <translation>Firstlight 让首个 token 的等待看得见、说得清、短得多。</translation>
    </message>
    <message>
        <source>Versions</source>
        <translation>版本</translation>
    </message>
    <message>
        <source>Engine</source>
        <translation>引擎</translation>
    </message>
    <message>
        <source>Build</source>
        <translation>构建</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Another build</source>
        <translation>其他构建</translation>
    </message>
    <message>
        <source>cpu, vulkan, cuda or metal. The set-up builds it, tries it, and goes back if it fails.</source>
        <translation>可选 cpu、vulkan、cuda 或 metal。安装程序会构建并试运行，失败则自动退回。</translation>
    </message>
    <message>
        <source>Reporting a fault</source>
        <translation>报告问题</translation>
    </message>
    <message>
        <source>Save a diagnostics file…</source>
        <translation>保存诊断文件…</translation>
    </message>
    <message>
        <source>Versions, devices, settings without secrets, logs, and figures of past answers. No chat text, no system prompts, no titles.</source>
        <translation>包含版本、设备、不含密钥的设置、日志和以往回答的指标；不含聊天内容、系统提示词和标题。</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>…</source>
        <translation>…</translation>
    </message>
</context>
<context>
    <name>AlertLine</name>
    <message>
        <source>warning</source>
        <translation>警告</translation>
    </message>
    <message>
        <source>notice</source>
        <translation>提示</translation>
    </message>
</context>
<context>
    <name>AlertsCard</name>
    <message>
        <source>Alerts</source>
        <translation>警报</translation>
    </message>
    <message>
        <source>One answer in a hundred starts after {value} (limit {limit}).</source>
        <translation>每百次回答中有一次在 {value}后才开始（上限 {limit}）。</translation>
    </message>
    <message>
        <source>One answer in twenty takes over {value} (limit {limit}).</source>
        <translation>每二十次回答中有一次耗时超过 {value}（上限 {limit}）。</translation>
    </message>
    <message>
        <source>{value} of the requests failed (limit {limit}).</source>
        <translation>{value} 的请求失败（上限 {limit}）。</translation>
    </message>
    <message>
        <source>The GPU is only {value} busy while answering: something else is slower.</source>
        <translation>回答时 GPU 占用仅 {value}：瓶颈在别处。</translation>
    </message>
    <message>
        <source>The GPU is {value} busy and requests are waiting.</source>
        <translation>GPU 占用 {value}，且有请求在等待。</translation>
    </message>
    <message>
        <source>Requests that have been waiting for a while: {value}.</source>
        <translation>有 {value} 个请求已等待一段时间。</translation>
    </message>
    <message>
        <source>{value} of the GPU&apos;s memory is in use.</source>
        <translation>显存已使用 {value}。</translation>
    </message>
</context>
<context>
    <name>ApiPage</name>
    <message>
        <source>Local API</source>
        <translation>本地 API</translation>
    </message>
    <message>
        <source>Lets other programs use your models the way they use OpenAI&apos;s: chat, completions, embeddings, the list of models, and a page of figures for Prometheus. It is there while Firstlight is open; “python -m engine serve” serves the same without a window.</source>
        <translation>让其他程序像使用 OpenAI 那样使用您的模型：对话、补全、嵌入、模型列表，以及供 Prometheus 抓取的指标页。Firstlight 打开期间可用；命令 python -m engine serve 可在没有窗口时提供同样的服务。</translation>
    </message>
    <message>
        <source>Serve the API</source>
        <translation>启用 API</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Copy the address</source>
        <translation>复制地址</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>地址</translation>
    </message>
    <message>
        <source>127.0.0.1 is this computer only. Any other lets the network in, and then needs a token.</source>
        <translation>127.0.0.1 仅限本机。其他地址会向网络开放，此时必须设置令牌。</translation>
    </message>
    <message>
        <source>Port</source>
        <translation>端口</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Token</source>
        <translation>令牌</translation>
    </message>
    <message>
        <source>None is asked for</source>
        <translation>不要求令牌</translation>
    </message>
    <message>
        <source>Make one</source>
        <translation>生成</translation>
    </message>
    <message>
        <source>Make a token</source>
        <translation>生成令牌</translation>
    </message>
    <message>
        <source>Programs send it as Authorization: Bearer TOKEN.</source>
        <translation>程序以 Authorization: Bearer TOKEN 的形式发送。</translation>
    </message>
</context>
<context>
    <name>Application</name>
    <message>
        <source>Start again</source>
        <translation>重新启动</translation>
    </message>
</context>
<context>
    <name>AttachmentChip</name>
    <message>
        <source>Remove {name}</source>
        <translation>移除 {name}</translation>
    </message>
    <message>
        <source>this model cannot see it</source>
        <translation>此模型无法识别图片</translation>
    </message>
    <message numerus="yes">
        <source>{n} tokens</source>
        <translation>
            <numerusform>{n} 个 token</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>a part, {n} tokens</source>
        <translation>
            <numerusform>部分内容，{n} 个 token</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} of {total} tokens</source>
        <translation>
            <numerusform>{n} / {total} 个 token</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>AttachmentController</name>
    <message>
        <source>Attach files</source>
        <translation>添加附件</translation>
    </message>
    <message numerus="yes">
        <source>{name} is too long to be read as a whole: the first {n} of {total} pages are attached.</source>
        <translation>
            <numerusform>{name} 太长，无法全部读取：已附上共 {total} 页中的前 {n} 页。</numerusform>
        </translation>
    </message>
    <message>
        <source>{name} is too long to be read as a whole: only its beginning is attached.</source>
        <translation>{name} 太长，无法全部读取：只附上了开头部分。</translation>
    </message>
    <message numerus="yes">
        <source>{n} of {total} pages of {name} hold no text but pictures, which the model does not get.</source>
        <translation>
            <numerusform>{name} 的 {total} 页中有 {n} 页没有文字、只有图片，模型得不到这些内容。</numerusform>
        </translation>
    </message>
    <message>
        <source>Page {page} of {name} is damaged and was left out.</source>
        <translation>{name} 的第 {page} 页已损坏，已略过。</translation>
    </message>
    <message>
        <source>Pages {pages} of {name} are damaged and were left out.</source>
        <translation>{name} 的第 {pages} 页已损坏，已略过。</translation>
    </message>
    <message>
        <source>Pasted text</source>
        <translation>粘贴的文本</translation>
    </message>
    <message>
        <source>Pasted picture</source>
        <translation>粘贴的图片</translation>
    </message>
</context>
<context>
    <name>Attachments</name>
    <message>
        <source>image</source>
        <translation>图片</translation>
    </message>
    <message>
        <source>not seen by the model</source>
        <translation>模型看不到</translation>
    </message>
    <message>
        <source>a part</source>
        <translation>部分内容</translation>
    </message>
    <message numerus="yes">
        <source>{n} tokens</source>
        <translation>
            <numerusform>{n} 个 token</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>CardInteraction</name>
    <message>
        <source>Copy selection</source>
        <translation>复制所选</translation>
    </message>
    <message>
        <source>Select all</source>
        <translation>全选</translation>
    </message>
    <message>
        <source>Copy link address</source>
        <translation>复制链接地址</translation>
    </message>
    <message>
        <source>Load the pictures from {host}</source>
        <translation>加载来自 {host} 的图片</translation>
    </message>
</context>
<context>
    <name>ChatController</name>
    <message>
        <source>earlier turns summarised</source>
        <translation>较早的对话已概括为摘要</translation>
    </message>
</context>
<context>
    <name>ChatDelegate</name>
    <message>
        <source>archived</source>
        <translation>已归档</translation>
    </message>
    <message>
        <source>in the title</source>
        <translation>在标题中</translation>
    </message>
</context>
<context>
    <name>ChatListController</name>
    <message>
        <source>Rename chat</source>
        <translation>重命名对话</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>重命名</translation>
    </message>
    <message>
        <source>The chat was archived.</source>
        <translation>对话已归档。</translation>
    </message>
    <message numerus="yes">
        <source>{n} chats were archived.</source>
        <translation>
            <numerusform>{n} 个对话已归档。</numerusform>
        </translation>
    </message>
    <message>
        <source>New folder</source>
        <translation>新建文件夹</translation>
    </message>
    <message>
        <source>Create</source>
        <translation>创建</translation>
    </message>
    <message>
        <source>Rename folder</source>
        <translation>重命名文件夹</translation>
    </message>
    <message>
        <source>The folder “{name}” was deleted.</source>
        <translation>已删除文件夹“{name}”。</translation>
    </message>
    <message>
        <source>New chat</source>
        <translation>新对话</translation>
    </message>
    <message>
        <source>“{title}” was deleted.</source>
        <translation>已删除“{title}”。</translation>
    </message>
    <message numerus="yes">
        <source>{n} chats were deleted.</source>
        <translation>
            <numerusform>{n} 个对话已删除。</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ChatListModel</name>
    <message>
        <source>{title}, archived</source>
        <translation>{title}，已归档</translation>
    </message>
    <message>
        <source>Folder {name}, {n}, open</source>
        <translation>文件夹 {name}，{n} 个对话，已展开</translation>
    </message>
    <message>
        <source>Folder {name}, {n}, closed</source>
        <translation>文件夹 {name}，{n} 个对话，已折叠</translation>
    </message>
    <message>
        <source>{title}, being answered</source>
        <translation>{title}，正在回答</translation>
    </message>
    <message>
        <source>New chat</source>
        <translation>新对话</translation>
    </message>
    <message>
        <source>Pinned</source>
        <translation>已置顶</translation>
    </message>
    <message>
        <source>Folders</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>Archived</source>
        <translation>已归档</translation>
    </message>
    <message>
        <source>Today</source>
        <translation>今天</translation>
    </message>
    <message>
        <source>Yesterday</source>
        <translation>昨天</translation>
    </message>
    <message>
        <source>Last 7 days</source>
        <translation>最近 7 天</translation>
    </message>
    <message>
        <source>Last 30 days</source>
        <translation>最近 30 天</translation>
    </message>
    <message>
        <source>Older</source>
        <translation>更早</translation>
    </message>
</context>
<context>
    <name>ChatMenu</name>
    <message>
        <source>System prompt</source>
        <translation>系统提示词</translation>
    </message>
    <message>
        <source>What the model is told before everything else in this chat:</source>
        <translation>在此对话中最先告诉模型的内容：</translation>
    </message>
    <message>
        <source>Summary of earlier turns</source>
        <translation>较早对话的摘要</translation>
    </message>
    <message>
        <source>What the model sees instead of the turns above the mark:</source>
        <translation>模型看不到分界线以上的对话，看到的是这份摘要：</translation>
    </message>
    <message>
        <source>Rename…</source>
        <translation>重命名…</translation>
    </message>
    <message>
        <source>System prompt…</source>
        <translation>系统提示词…</translation>
    </message>
    <message>
        <source>When the context is full</source>
        <translation>上下文已满时</translation>
    </message>
    <message>
        <source>Formulas in this chat</source>
        <translation>此对话中的公式</translation>
    </message>
    <message>
        <source>Summary of earlier turns…</source>
        <translation>较早对话的摘要…</translation>
    </message>
    <message>
        <source>What the model sees…</source>
        <translation>模型看到的内容…</translation>
    </message>
    <message>
        <source>Duplicate</source>
        <translation>复制一份</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>导出…</translation>
    </message>
    <message>
        <source>Archive</source>
        <translation>归档</translation>
    </message>
    <message>
        <source>Unarchive</source>
        <translation>取消归档</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Colours</source>
        <translation>配色</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>跟随系统</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>High contrast</source>
        <translation>高对比度</translation>
    </message>
    <message>
        <source>This chat is archived.</source>
        <translation>此对话已归档。</translation>
    </message>
    <message>
        <source>Leave out the oldest turns</source>
        <translation>略去最早的几轮对话</translation>
    </message>
    <message>
        <source>Summarise the oldest turns</source>
        <translation>概括最早的几轮对话</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>drawn</source>
        <translation>排版显示</translation>
    </message>
    <message>
        <source>as LaTeX</source>
        <translation>显示 LaTeX 源码</translation>
    </message>
    <message>
        <source>As in the settings: {usual}</source>
        <translation>与设置相同：{usual}</translation>
    </message>
    <message>
        <source>Drawn</source>
        <translation>排版显示</translation>
    </message>
    <message>
        <source>As LaTeX</source>
        <translation>显示 LaTeX 源码</translation>
    </message>
</context>
<context>
    <name>CodeLayout</name>
    <message>
        <source>Tool call: {name} · Firstlight runs no tools</source>
        <translation>工具调用：{name} · Firstlight 不执行工具</translation>
    </message>
    <message>
        <source>Tool call · Firstlight runs no tools</source>
        <translation>工具调用 · Firstlight 不执行工具</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>已复制</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
</context>
<context>
    <name>CommandPalette</name>
    <message>
        <source>Nothing matches.</source>
        <translation>没有匹配项。</translation>
    </message>
    <message>
        <source>in use</source>
        <translation>使用中</translation>
    </message>
    <message>
        <source>not available</source>
        <translation>不可用</translation>
    </message>
</context>
<context>
    <name>CommandSearch</name>
    <message>
        <source>Type a command</source>
        <translation>输入命令</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>键盘快捷键</translation>
    </message>
</context>
<context>
    <name>CompareDialog</name>
    <message>
        <source>Compare</source>
        <translation>比较</translation>
    </message>
    <message>
        <source>Side {name}</source>
        <translation>{name} 组</translation>
    </message>
    <message>
        <source>no answers yet</source>
        <translation>尚无回答</translation>
    </message>
    <message>
        <source>TTFT</source>
        <translation>TTFT</translation>
    </message>
    <message>
        <source>ITL P50</source>
        <translation>ITL P50</translation>
    </message>
    <message>
        <source>ITL P99</source>
        <translation>ITL P99</translation>
    </message>
    <message>
        <source>TPOT</source>
        <translation>TPOT</translation>
    </message>
    <message>
        <source>Decode, tok/s</source>
        <translation>解码（tok/s）</translation>
    </message>
    <message>
        <source>Prefill, tok/s</source>
        <translation>预填充（tok/s）</translation>
    </message>
    <message>
        <source>Total</source>
        <translation>总耗时</translation>
    </message>
    <message numerus="yes">
        <source>{n} tried answers: {name}</source>
        <translation>
            <numerusform>试验的 {n} 次回答：{name}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} answers: {name}</source>
        <translation>
            <numerusform>{n} 次回答：{name}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{time}: {n} tokens, {model}</source>
        <translation>
            <numerusform>{time}：{n} 个 token，{model}</numerusform>
        </translation>
    </message>
    <message>
        <source>Medians of both sides&apos; answers ({a} and {b}).</source>
        <translation>两组回答（{a} 次与 {b} 次）的中位数。</translation>
    </message>
    <message>
        <source>Medians of both sides&apos; answers ({a} and {b}). The interval is a bootstrap of 2,000 resamples.</source>
        <translation>两组回答（{a} 次与 {b} 次）的中位数。区间由 2,000 次自助重采样得出。</translation>
    </message>
    <message>
        <source>Choose two different sides.</source>
        <translation>请选择不同的两组。</translation>
    </message>
    <message>
        <source>Nothing has been measured yet: ask something, or try two settings below.</source>
        <translation>尚无测量数据：提个问题，或在下方试用两种设置。</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>差异</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>结论</translation>
    </message>
    <message>
        <source>{share} interval</source>
        <translation>{share} 区间</translation>
    </message>
    <message>
        <source>{said}, by {low} to {high}</source>
        <translation>{said}，差异在 {low} 到 {high} 之间</translation>
    </message>
    <message numerus="yes">
        <source>under {n} runs: no verdict</source>
        <translation>
            <numerusform>不足 {n} 次：不下结论</numerusform>
        </translation>
    </message>
    <message>
        <source>within the noise</source>
        <translation>在噪声范围内</translation>
    </message>
    <message>
        <source>better</source>
        <translation>更好</translation>
    </message>
    <message>
        <source>worse</source>
        <translation>更差</translation>
    </message>
</context>
<context>
    <name>ComparisonController</name>
    <message>
        <source>Cancelled.</source>
        <translation>已取消。</translation>
    </message>
    <message>
        <source>Done: the figures are above. The model has its own settings again.</source>
        <translation>完成：数据见上方。模型已恢复原来的设置。</translation>
    </message>
</context>
<context>
    <name>CompletionNotifications</name>
    <message>
        <source>New chat</source>
        <translation>新对话</translation>
    </message>
    <message>
        <source>The download is complete.</source>
        <translation>下载已完成。</translation>
    </message>
    <message>
        <source>The download has stopped.</source>
        <translation>下载已停止。</translation>
    </message>
</context>
<context>
    <name>Composer</name>
    <message>
        <source>Write a message</source>
        <translation>输入消息</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>消息</translation>
    </message>
    <message>
        <source>Attach</source>
        <translation>附件</translation>
    </message>
    <message>
        <source>Prompts</source>
        <translation>提示词</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>发送</translation>
    </message>
    <message>
        <source>{used} of {room}</source>
        <translation>{used} / {room}</translation>
    </message>
    <message>
        <source> · prepared {n}</source>
        <translation> · 已预备 {n}</translation>
    </message>
    <message>
        <source> · too long</source>
        <translation> · 过长</translation>
    </message>
    <message>
        <source> · earlier turns make room</source>
        <translation> · 较早的对话会让出空间</translation>
    </message>
    <message>
        <source> · {n} kept for the answer</source>
        <translation> · 为回答预留 {n}</translation>
    </message>
    <message>
        <source>Tokens: {text}</source>
        <translation>Token：{text}</translation>
    </message>
    <message>
        <source>Tokens of the next prompt, the room in the context, and how many are prefilled while you type.</source>
        <translation>下一次提示词的 token 数、上下文容量，以及在您输入时已预填充的数量。</translation>
    </message>
    <message>
        <source>Counting…</source>
        <translation>正在计数…</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Stopping</source>
        <translation>正在停止</translation>
    </message>
    <message>
        <source>Enter sends, Shift+Enter breaks the line</source>
        <translation>Enter 发送，Shift+Enter 换行</translation>
    </message>
    <message>
        <source>Shift+Enter sends, Enter breaks the line</source>
        <translation>Shift+Enter 发送，Enter 换行</translation>
    </message>
    <message>
        <source>A file is still being read</source>
        <translation>仍有文件正在读取</translation>
    </message>
    <message>
        <source>Stop the answer (Esc)</source>
        <translation>停止回答 (Esc)</translation>
    </message>
    <message>
        <source> · the chat is full</source>
        <translation> · 对话已满</translation>
    </message>
</context>
<context>
    <name>ContextFullMenu</name>
    <message>
        <source>Leave out the oldest turns</source>
        <translation>略去最早的几轮对话</translation>
    </message>
    <message>
        <source>Summarise the oldest turns</source>
        <translation>概括最早的几轮对话</translation>
    </message>
    <message>
        <source>New chat with this message</source>
        <translation>用这条消息新建对话</translation>
    </message>
    <message>
        <source>Larger context…</source>
        <translation>扩大上下文…</translation>
    </message>
</context>
<context>
    <name>DataPage</name>
    <message>
        <source>Data</source>
        <translation>数据</translation>
    </message>
    <message>
        <source>All of it lies on this computer. Nothing is sent anywhere.</source>
        <translation>全部数据都在本机，不会发送到任何地方。</translation>
    </message>
    <message>
        <source>Chats</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>Import</source>
        <translation>导入</translation>
    </message>
    <message>
        <source>From Firstlight, ChatGPT, Claude, LM Studio, Jan, GPT4All, Open WebUI, SillyTavern, and lists of messages. A file can also be dropped onto the list of chats.</source>
        <translation>支持 Firstlight、ChatGPT、Claude、LM Studio、Jan、GPT4All、Open WebUI、SillyTavern 以及消息列表。也可以把文件拖到对话列表上。</translation>
    </message>
    <message>
        <source>A file…</source>
        <translation>文件…</translation>
    </message>
    <message>
        <source>A folder…</source>
        <translation>文件夹…</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>As Markdown, HTML, PDF, or JSON, which holds everything, branches and figures included.</source>
        <translation>可导出为 Markdown、HTML、PDF，或包含分支与指标等全部内容的 JSON。</translation>
    </message>
    <message>
        <source>Export chats…</source>
        <translation>导出对话…</translation>
    </message>
    <message>
        <source>Backup</source>
        <translation>备份</translation>
    </message>
    <message>
        <source>A copy of the database as it is now; chats go on meanwhile.</source>
        <translation>数据库当前状态的副本；备份期间可继续对话。</translation>
    </message>
    <message>
        <source>Back up…</source>
        <translation>备份…</translation>
    </message>
    <message>
        <source>KV snapshots</source>
        <translation>KV 快照</translation>
    </message>
    <message>
        <source>…</source>
        <translation>…</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>清除</translation>
    </message>
    <message>
        <source>Clear the KV snapshots</source>
        <translation>清除 KV 快照</translation>
    </message>
    <message>
        <source>On disk</source>
        <translation>磁盘占用</translation>
    </message>
    <message>
        <source>Without them, opening an old chat costs one prefill again.</source>
        <translation>没有快照时，打开旧对话需要重新预填充一次。</translation>
    </message>
    <message>
        <source>Where files are kept</source>
        <translation>文件位置</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>{what}: {how}</source>
        <translation>{what}：{how}</translation>
    </message>
    <message>
        <source>Show folder</source>
        <translation>打开文件夹</translation>
    </message>
    <message>
        <source>Show the folder of: {place}</source>
        <translation>打开所在文件夹：{place}</translation>
    </message>
</context>
<context>
    <name>DeviceForm</name>
    <message>
        <source>Devices</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Use</source>
        <translation>使用</translation>
    </message>
    <message>
        <source>Spare the screen&apos;s card</source>
        <translation>不占用连接显示器的显卡</translation>
    </message>
    <message>
        <source>The desktop stays smooth, and its memory its own.</source>
        <translation>桌面保持流畅，显存也留给它。</translation>
    </message>
    <message>
        <source>Layers on the GPU</source>
        <translation>GPU 层数</translation>
    </message>
    <message>
        <source>What fits</source>
        <translation>尽可能多</translation>
    </message>
    <message>
        <source>Experts on the CPU</source>
        <translation>CPU 上的专家</translation>
    </message>
    <message>
        <source>Layers whose experts stay in main memory. They are large, and few of them work for a token.</source>
        <translation>专家留在主内存中的层数。专家很大，而每个 token 只用到其中少数。</translation>
    </message>
    <message>
        <source>As few as fit</source>
        <translation>尽量少</translation>
    </message>
    <message>
        <source>Several devices</source>
        <translation>多个设备</translation>
    </message>
    <message>
        <source>Share the layers</source>
        <translation>按层分配</translation>
    </message>
    <message>
        <source>Share every matrix</source>
        <translation>拆分每个矩阵</translation>
    </message>
    <message>
        <source>Use one of them</source>
        <translation>只用其中一个</translation>
    </message>
    <message>
        <source>Sharing matrices pays only where the cards are linked fast.</source>
        <translation>只有显卡之间连接很快时，拆分矩阵才划算。</translation>
    </message>
    <message>
        <source>Shares</source>
        <translation>份额</translation>
    </message>
    <message>
        <source>Automatic goes by the memory that is free on each.</source>
        <translation>自动时按各设备的可用显存分配。</translation>
    </message>
    <message>
        <source>Which one</source>
        <translation>所用设备</translation>
    </message>
    <message>
        <source>Asking the engine for its devices…</source>
        <translation>正在向引擎查询设备…</translation>
    </message>
    <message>
        <source>The engine, built for {build}, finds no GPU here: models run on the processor.</source>
        <translation>引擎（{build} 构建）在此没有找到 GPU：模型在处理器上运行。</translation>
    </message>
</context>
<context>
    <name>DeviceList</name>
    <message>
        <source>This device is not there now.</source>
        <translation>此设备现在不可用。</translation>
    </message>
    <message>
        <source>{free} of {total} free</source>
        <translation>可用 {free} / {total}</translation>
    </message>
    <message>
        <source>part of the processor, with main memory</source>
        <translation>集成在处理器中，使用主内存</translation>
    </message>
    <message>
        <source>drives the screen</source>
        <translation>连接着显示器</translation>
    </message>
</context>
<context>
    <name>DownloadLine</name>
    <message>
        <source>stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>{rate}/s</source>
        <translation>{rate}/s</translation>
    </message>
    <message>
        <source>{time} left</source>
        <translation>剩余 {time}</translation>
    </message>
    <message numerus="yes">
        <source>{n} downloads</source>
        <translation>
            <numerusform>{n} 个下载任务</numerusform>
        </translation>
    </message>
    <message>
        <source>verifying</source>
        <translation>校验中</translation>
    </message>
</context>
<context>
    <name>DownloadsModel</name>
    <message>
        <source>{done} of {total}</source>
        <translation>{done} / {total}</translation>
    </message>
    <message>
        <source>{rate}/s</source>
        <translation>{rate}/s</translation>
    </message>
    <message>
        <source>{time} left</source>
        <translation>剩余 {time}</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>等待中</translation>
    </message>
    <message>
        <source>downloading</source>
        <translation>下载中</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>verifying</source>
        <translation>校验中</translation>
    </message>
    <message>
        <source>ready</source>
        <translation>就绪</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>已取消</translation>
    </message>
</context>
<context>
    <name>DownloadsPage</name>
    <message>
        <source>Downloads</source>
        <translation>下载</translation>
    </message>
    <message>
        <source>Nothing is being downloaded.</source>
        <translation>没有正在进行的下载。</translation>
    </message>
    <message>
        <source>Find a model</source>
        <translation>查找模型</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Remove them</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>{size} of downloads that were given up are left in the models&apos; folder.</source>
        <translation>模型文件夹中有 {size} 已放弃的下载残留。</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Load and chat</source>
        <translation>加载并对话</translation>
    </message>
</context>
<context>
    <name>ExportDialog</name>
    <message>
        <source>Export chats</source>
        <translation>导出对话</translation>
    </message>
    <message>
        <source>Chats</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>New chat</source>
        <translation>新对话</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>格式</translation>
    </message>
    <message>
        <source>Markdown, one file for each chat</source>
        <translation>Markdown，每个对话一个文件</translation>
    </message>
    <message>
        <source>Web page, one file for each chat</source>
        <translation>网页，每个对话一个文件</translation>
    </message>
    <message>
        <source>PDF, one file for each chat</source>
        <translation>PDF，每个对话一个文件</translation>
    </message>
    <message>
        <source>JSON with everything, to be imported again</source>
        <translation>JSON，包含全部内容，可再次导入</translation>
    </message>
    <message>
        <source>All</source>
        <translation>全选</translation>
    </message>
    <message>
        <source>None</source>
        <translation>全不选</translation>
    </message>
    <message>
        <source>Choose all chats</source>
        <translation>选择全部对话</translation>
    </message>
    <message>
        <source>Choose none</source>
        <translation>全部不选</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>导出…</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>{n} of {total} chosen</source>
        <translation>已选 {n} / {total}</translation>
    </message>
</context>
<context>
    <name>FactsCard</name>
    <message>
        <source>Last answer</source>
        <translation>最近一次回答</translation>
    </message>
    <message numerus="yes">
        <source>{cached} of {total} tokens</source>
        <translation>
            <numerusform>{cached} / {total} 个 token</numerusform>
        </translation>
    </message>
    <message>
        <source>From the cache</source>
        <translation>来自缓存</translation>
    </message>
    <message numerus="yes">
        <source>{n} tokens</source>
        <translation>
            <numerusform>{n} 个 token</numerusform>
        </translation>
    </message>
    <message>
        <source>Prepared while typing</source>
        <translation>输入时已预备</translation>
    </message>
    <message>
        <source>{rate} tok/s</source>
        <translation>{rate} tok/s</translation>
    </message>
    <message>
        <source>Prefill</source>
        <translation>预填充</translation>
    </message>
    <message>
        <source>New prompt tokens over the time they took.</source>
        <translation>新的提示词 token 数除以所用时间。</translation>
    </message>
    <message>
        <source>{accepted} of {drafted} ({share})</source>
        <translation>{accepted} / {drafted}（{share}）</translation>
    </message>
    <message>
        <source>Drafts accepted</source>
        <translation>接受的草稿</translation>
    </message>
    <message>
        <source>Tokens guessed ahead that the model agreed with.</source>
        <translation>提前猜测并被模型认可的 token。</translation>
    </message>
    <message>
        <source>{mean} on average</source>
        <translation>平均 {mean} 个</translation>
    </message>
    <message>
        <source>How many other answers ran in its steps.</source>
        <translation>各步中同时运行的其他回答数。</translation>
    </message>
    <message>
        <source>Answers beside it</source>
        <translation>同时进行的回答</translation>
    </message>
    <message>
        <source>Waiting in the queue</source>
        <translation>排队等待</translation>
    </message>
    <message>
        <source>Nothing could be reused.</source>
        <translation>没有可复用的内容。</translation>
    </message>
    <message>
        <source>It was still in place.</source>
        <translation>它仍在缓存中。</translation>
    </message>
    <message>
        <source>It came from a snapshot in memory.</source>
        <translation>来自内存中的快照。</translation>
    </message>
    <message>
        <source>It came from a snapshot on disk.</source>
        <translation>来自磁盘上的快照。</translation>
    </message>
    <message>
        <source>Not cached: {reason}</source>
        <translation>未命中缓存：{reason}</translation>
    </message>
</context>
<context>
    <name>Figures</name>
    <message>
        <source>{n} ms</source>
        <translation>{n} 毫秒</translation>
    </message>
    <message>
        <source>{n} s</source>
        <translation>{n} 秒</translation>
    </message>
    <message>
        <source>{m} min {s} s</source>
        <translation>{m} 分 {s} 秒</translation>
    </message>
    <message>
        <source>This version was written by {name}.</source>
        <translation>此版本由 {name} 生成。</translation>
    </message>
    <message>
        <source>{rate} tok/s</source>
        <translation>{rate} tok/s</translation>
    </message>
    <message>
        <source>Decode rate: tokens after the first, divided by the time from the first to the last.</source>
        <translation>解码速率：首个之后的 token 数除以从首个到最后一个的时间。</translation>
    </message>
    <message>
        <source>Time to first token: from Enter to the first painted glyph, where it was measured here.</source>
        <translation>首 token 时间：从按下 Enter 到屏幕上出现第一个字（如在本机测得）。</translation>
    </message>
    <message>
        <source>The engine&apos;s own part is {time}.</source>
        <translation>其中引擎用时 {time}。</translation>
    </message>
    <message>
        <source>TTFT</source>
        <translation>TTFT</translation>
    </message>
    <message numerus="yes">
        <source>{n} tokens</source>
        <translation>
            <numerusform>{n} 个 token</numerusform>
        </translation>
    </message>
    <message>
        <source>Tokens that the model wrote.</source>
        <translation>模型写出的 token 数。</translation>
    </message>
    <message>
        <source>{n} prepared while you typed</source>
        <translation>输入时已预备 {n}</translation>
    </message>
    <message>
        <source>Tokens of the prompt that were read before you pressed Enter.</source>
        <translation>在您按下 Enter 之前已读取的提示词 token 数。</translation>
    </message>
    <message numerus="yes">
        <source>reading {done} of {total} tokens</source>
        <translation>
            <numerusform>正在读取 {done} / {total} 个 token</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>reading {done} of {total} tokens, {time} left</source>
        <translation>
            <numerusform>正在读取 {done} / {total} 个 token，剩余 {time}</numerusform>
        </translation>
    </message>
    <message>
        <source>{n} cached</source>
        <translation>已缓存 {n}</translation>
    </message>
    <message>
        <source>Thinking</source>
        <translation>思考中</translation>
    </message>
    <message>
        <source>Thought for {time}</source>
        <translation>思考了 {time}</translation>
    </message>
    <message>
        <source>Thoughts</source>
        <translation>思考过程</translation>
    </message>
</context>
<context>
    <name>FileDrops</name>
    <message>
        <source>Drop to import chats</source>
        <translation>松开即可导入对话</translation>
    </message>
    <message>
        <source>Drop to use this model</source>
        <translation>松开即可使用此模型</translation>
    </message>
    <message>
        <source>Drop to attach to the message</source>
        <translation>松开即可附加到消息</translation>
    </message>
    <message>
        <source>{name} is a model. It can be loaded from where it is, and its folder joins your models.</source>
        <translation>{name} 是一个模型。可以从原处加载，其所在文件夹会加入您的模型文件夹。</translation>
    </message>
    <message>
        <source>Load it</source>
        <translation>加载</translation>
    </message>
</context>
<context>
    <name>FindBar</name>
    <message>
        <source>Find in this chat</source>
        <translation>在此对话中查找</translation>
    </message>
    <message>
        <source>Previous match</source>
        <translation>上一处</translation>
    </message>
    <message>
        <source>Next match</source>
        <translation>下一处</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Previous match (Shift+Enter)</source>
        <translation>上一处 (Shift+Enter)</translation>
    </message>
    <message>
        <source>Next match (Enter)</source>
        <translation>下一处 (Enter)</translation>
    </message>
    <message>
        <source>nothing found</source>
        <translation>未找到</translation>
    </message>
    <message>
        <source>{n} of {total}</source>
        <translation>{n} / {total}</translation>
    </message>
</context>
<context>
    <name>FindPage</name>
    <message>
        <source>Search models</source>
        <translation>搜索模型</translation>
    </message>
    <message>
        <source>Search models on the hub</source>
        <translation>在模型库中搜索模型</translation>
    </message>
    <message>
        <source>Clear the search</source>
        <translation>清除搜索</translation>
    </message>
    <message>
        <source>Search results</source>
        <translation>搜索结果</translation>
    </message>
    <message>
        <source>Nothing was found with these filters.</source>
        <translation>在这些筛选条件下没有找到结果。</translation>
    </message>
    <message>
        <source>Search without filters</source>
        <translation>不带筛选条件搜索</translation>
    </message>
    <message>
        <source>Nothing was found. Try fewer words, or a part of the name.</source>
        <translation>没有找到结果。请减少词语，或只输入名称的一部分。</translation>
    </message>
    <message>
        <source>Show what is worth starting with</source>
        <translation>显示适合入门的模型</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Worth starting with. Type to search the hub.</source>
        <translation>以下模型适合入门。输入文字可搜索模型库。</translation>
    </message>
    <message>
        <source>Choose a model to see what each of its quantizations needs here, before any download.</source>
        <translation>选择一个模型，下载前即可看到它的每种量化在本机需要什么。</translation>
    </message>
    <message>
        <source>For this computer: {name}, {reason}.</source>
        <translation>适合本机：{name}，{reason}。</translation>
    </message>
    <message>
        <source>no licence named</source>
        <translation>未注明许可证</translation>
    </message>
    <message>
        <source>gated: accept the licence on its page, then put your token into the settings</source>
        <translation>受限：请先在其页面接受许可证，再在设置中填入令牌</translation>
    </message>
    <message>
        <source>changed {day}</source>
        <translation>更新于 {day}</translation>
    </message>
    <message numerus="yes">
        <source>{n} layers</source>
        <translation>
            <numerusform>{n} 层</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} KV heads</source>
        <translation>
            <numerusform>{n} 个 KV 头</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>header read in {n} requests, {size}</source>
        <translation>
            <numerusform>{n} 次请求读取文件头，{size}</numerusform>
        </translation>
    </message>
    <message>
        <source>{name}: {reason}.</source>
        <translation>{name}：{reason}。</translation>
    </message>
    <message numerus="yes">
        <source>The longest context that fits whole is {n} tokens.</source>
        <translation>
            <numerusform>能完整放下的最长上下文为 {n} 个 token。</numerusform>
        </translation>
    </message>
    <message>
        <source>Model card</source>
        <translation>模型说明</translation>
    </message>
    <message>
        <source>Open on the hub</source>
        <translation>在模型库打开</translation>
    </message>
    <message>
        <source>Context in tokens</source>
        <translation>上下文（token）</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>KV cache</source>
        <translation>KV 缓存</translation>
    </message>
    <message>
        <source>KV cache type {kind}</source>
        <translation>KV 缓存类型 {kind}</translation>
    </message>
    <message numerus="yes">
        <source>{n} downloads</source>
        <translation>
            <numerusform>{n} 次下载</numerusform>
        </translation>
    </message>
    <message>
        <source>A speed after ≈ is expected from this computer&apos;s measured bandwidth, until a chat has measured it.</source>
        <translation>带 ≈ 的速度由本机实测带宽推算，对话实测后替换。</translation>
    </message>
    <message>
        <source>gated: accept the licence first</source>
        <translation>受限：需先接受许可证</translation>
    </message>
</context>
<context>
    <name>FirstRun</name>
    <message>
        <source>Models of every size can be added under Models.</source>
        <translation>在“模型”中可添加各种大小的模型。</translation>
    </message>
    <message>
        <source>No graphics card was found that this build can use, so models run on the processor.</source>
        <translation>未找到此构建可用的显卡，模型将在处理器上运行。</translation>
    </message>
    <message>
        <source> with {size}</source>
        <translation>（{size}）</translation>
    </message>
    <message>
        <source>Found {name}{memory}: models run on it.</source>
        <translation>检测到 {name}{memory}，将用它运行模型。</translation>
    </message>
</context>
<context>
    <name>GapCard</name>
    <message>
        <source>Between tokens</source>
        <translation>token 间隔</translation>
    </message>
    <message>
        <source>shaded: another chat&apos;s prefill</source>
        <translation>阴影：其他对话的预填充</translation>
    </message>
    <message>
        <source>how often each gap came</source>
        <translation>各间隔出现的次数</translation>
    </message>
    <message>
        <source>How often each gap occurred; both axes are logarithmic.</source>
        <translation>各间隔出现的次数；两轴均为对数。</translation>
    </message>
    <message>
        <source>{gap} fluid</source>
        <translation>{gap} 流畅</translation>
    </message>
    <message>
        <source>{gap} slow</source>
        <translation>{gap} 缓慢</translation>
    </message>
    <message>
        <source>{gap} halting</source>
        <translation>{gap} 卡顿</translation>
    </message>
    <message>
        <source>{p50} · P99 {p99}</source>
        <translation>{p50} · P99 {p99}</translation>
    </message>
    <message>
        <source>Inter-token latency of this answer: the median gap, and the one that 99 % of the gaps stay under.</source>
        <translation>此回答的 token 间隔：中位数，以及 99% 的间隔不超过的值。</translation>
    </message>
    <message>
        <source>{ms} ms</source>
        <translation>{ms} 毫秒</translation>
    </message>
</context>
<context>
    <name>GeneralPage</name>
    <message>
        <source>General</source>
        <translation>常规</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>跟随系统</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>语言</translation>
    </message>
    <message>
        <source>Takes effect at the next start.</source>
        <translation>下次启动时生效。</translation>
    </message>
    <message>
        <source>Colours</source>
        <translation>配色</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>High contrast</source>
        <translation>高对比度</translation>
    </message>
    <message>
        <source>Font</source>
        <translation>字体</translation>
    </message>
    <message>
        <source>Text size</source>
        <translation>字号</translation>
    </message>
    <message>
        <source> px</source>
        <translation> 像素</translation>
    </message>
    <message>
        <source>Enter sends</source>
        <translation>Enter 发送</translation>
    </message>
    <message>
        <source>Off: Enter begins a new line, and Shift+Enter sends.</source>
        <translation>关闭时：Enter 换行，Shift+Enter 发送。</translation>
    </message>
    <message>
        <source>Draw formulas</source>
        <translation>排版公式</translation>
    </message>
    <message>
        <source>Off: mathematics is shown as the LaTeX that the model wrote.</source>
        <translation>关闭时：数学内容按模型写出的 LaTeX 原样显示。</translation>
    </message>
    <message>
        <source>Notify when something long is done</source>
        <translation>耗时操作结束时通知</translation>
    </message>
    <message>
        <source>Of a long answer or a download that ends while you are in another window.</source>
        <translation>当您在其他窗口时，较长的回答或下载结束会发出通知。</translation>
    </message>
    <message>
        <source>Underlines words while you type; code and addresses are left out.</source>
        <translation>输入时为拼写有误的词加下划线；代码和网址除外。</translation>
    </message>
    <message>
        <source>Works where pyenchant, Enchant and a dictionary are installed; none is found here.</source>
        <translation>需要安装 pyenchant、Enchant 和词典；本机未找到。</translation>
    </message>
    <message>
        <source>Check spelling</source>
        <translation>拼写检查</translation>
    </message>
    <message>
        <source>Spelling language</source>
        <translation>拼写语言</translation>
    </message>
    <message>
        <source>As the interface</source>
        <translation>与界面一致</translation>
    </message>
</context>
<context>
    <name>HardwareCard</name>
    <message>
        <source>Processor</source>
        <translation>处理器</translation>
    </message>
    <message>
        <source>GPU</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>engine {size} of RAM</source>
        <translation>引擎占用内存 {size}</translation>
    </message>
    <message>
        <source>2 minutes ago</source>
        <translation>2 分钟前</translation>
    </message>
    <message>
        <source>now</source>
        <translation>现在</translation>
    </message>
    <message>
        <source>How busy it is.</source>
        <translation>繁忙程度。</translation>
    </message>
    <message>
        <source>{value} W</source>
        <translation>{value} W</translation>
    </message>
    <message>
        <source>{value} °C</source>
        <translation>{value} °C</translation>
    </message>
    <message>
        <source>{value} MHz</source>
        <translation>{value} MHz</translation>
    </message>
    <message>
        <source>processor {share}</source>
        <translation>处理器 {share}</translation>
    </message>
</context>
<context>
    <name>Histogram</name>
    <message>
        <source>{name}: {n} in all, most of them about {most}, {slow} of them slow</source>
        <translation>{name}：共 {n} 次，最常见约 {most}，其中 {slow} 次缓慢</translation>
    </message>
</context>
<context>
    <name>HostClient</name>
    <message>
        <source>The engine is not running.</source>
        <translation>引擎未运行。</translation>
    </message>
    <message>
        <source>The engine could not be started: {reason}.</source>
        <translation>无法启动引擎：{reason}。</translation>
    </message>
    <message>
        <source>Run the set-up again, then choose Start again.</source>
        <translation>请重新运行安装程序，然后选择“重新启动”。</translation>
    </message>
    <message>
        <source>Firstlight is closing.</source>
        <translation>Firstlight 正在关闭。</translation>
    </message>
    <message numerus="yes">
        <source>{how} That was {n} times in a row.</source>
        <translation>
            <numerusform>{how}已连续发生 {n} 次。</numerusform>
        </translation>
    </message>
    <message>
        <source>It is being started again; the text so far is kept.</source>
        <translation>正在重新启动；已有的文字会保留。</translation>
    </message>
    <message>
        <source>Choose Start again; if that fails too, run the doctor: python -m engine doctor.</source>
        <translation>请选择“重新启动”；若仍失败，请运行诊断：python -m engine doctor。</translation>
    </message>
</context>
<context>
    <name>HubSearchController</name>
    <message>
        <source>Searching…</source>
        <translation>正在搜索…</translation>
    </message>
    <message>
        <source>This repository has no chat model in GGUF.</source>
        <translation>此仓库没有 GGUF 格式的聊天模型。</translation>
    </message>
</context>
<context>
    <name>ImportExportController</name>
    <message>
        <source>Import chats from a file</source>
        <translation>从文件导入对话</translation>
    </message>
    <message>
        <source>Import chats from a folder</source>
        <translation>从文件夹导入对话</translation>
    </message>
    <message>
        <source>Markdown (*.md)</source>
        <translation>Markdown (*.md)</translation>
    </message>
    <message>
        <source>Web page (*.html)</source>
        <translation>网页 (*.html)</translation>
    </message>
    <message>
        <source>PDF (*.pdf)</source>
        <translation>PDF (*.pdf)</translation>
    </message>
    <message>
        <source>JSON, complete (*.json)</source>
        <translation>完整 JSON (*.json)</translation>
    </message>
    <message>
        <source>Export chat</source>
        <translation>导出对话</translation>
    </message>
    <message numerus="yes">
        <source>{n} chats, {done} of {total} read</source>
        <translation>
            <numerusform>{n} 个对话，已读取 {done}，共 {total}</numerusform>
        </translation>
    </message>
    <message>
        <source>Importing {name}</source>
        <translation>正在导入 {name}</translation>
    </message>
    <message numerus="yes">
        <source>{n} of {total} chats written</source>
        <translation>
            <numerusform>已写出 {n} 个对话，共 {total} 个</numerusform>
        </translation>
    </message>
    <message>
        <source>Exporting chats</source>
        <translation>正在导出对话</translation>
    </message>
    <message>
        <source>Exported to {file}.</source>
        <translation>已导出到 {file}。</translation>
    </message>
    <message numerus="yes">
        <source>The import was undone: {n} chats are gone.</source>
        <translation>
            <numerusform>已撤销导入：移除了 {n} 个对话。</numerusform>
        </translation>
    </message>
    <message>
        <source>There are no chats to export yet.</source>
        <translation>还没有可导出的对话。</translation>
    </message>
    <message>
        <source>Export chats to a file</source>
        <translation>导出对话到文件</translation>
    </message>
    <message>
        <source>Export chats to</source>
        <translation>导出对话到</translation>
    </message>
    <message>
        <source>Chats and characters (*.json *.jsonl *.zip *.chat *.png *.charx)</source>
        <translation>对话和角色 (*.json *.jsonl *.zip *.chat *.png *.charx)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>所有文件 (*)</translation>
    </message>
</context>
<context>
    <name>ImportReportDialog</name>
    <message>
        <source>Import</source>
        <translation>导入</translation>
    </message>
    <message>
        <source>What was left out</source>
        <translation>未导入的内容</translation>
    </message>
    <message>
        <source>Undo the import</source>
        <translation>撤销导入</translation>
    </message>
    <message>
        <source>Keep as presets</source>
        <translation>保存为预设</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message numerus="yes">
        <source>{n} messages</source>
        <translation>
            <numerusform>{n} 条消息</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} chats with {messages} were imported.</source>
        <translation>
            <numerusform>已导入 {n} 个对话，共 {messages}。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} characters were found.</source>
        <translation>
            <numerusform>找到 {n} 个角色。</numerusform>
        </translation>
    </message>
    <message>
        <source>Nothing new was imported.</source>
        <translation>没有导入新内容。</translation>
    </message>
    <message>
        <source>Nothing was imported.</source>
        <translation>没有导入任何内容。</translation>
    </message>
    <message>
        <source>Here already: {n}.</source>
        <translation>{n} 个已存在。</translation>
    </message>
    <message>
        <source>Could not be read: {n}.</source>
        <translation>{n} 个无法读取。</translation>
    </message>
    <message>
        <source>The import was stopped before its end.</source>
        <translation>导入在完成前被停止。</translation>
    </message>
    <message>
        <source>Characters, to be kept as presets</source>
        <translation>角色，可保存为预设</translation>
    </message>
</context>
<context>
    <name>IntervalAxis</name>
    <message>
        <source>from {low} to {high}</source>
        <translation>从 {low} 到 {high}</translation>
    </message>
</context>
<context>
    <name>JumpButton</name>
    <message>
        <source>Jump to the newest text</source>
        <translation>跳到最新内容</translation>
    </message>
</context>
<context>
    <name>LatencyController</name>
    <message>
        <source>Nothing was measured for this answer.</source>
        <translation>此回答没有测量数据。</translation>
    </message>
    <message>
        <source>Export the figures</source>
        <translation>导出数据</translation>
    </message>
    <message>
        <source>Table (*.csv)</source>
        <translation>表格 (*.csv)</translation>
    </message>
    <message>
        <source>Everything (*.json)</source>
        <translation>全部 (*.json)</translation>
    </message>
    <message numerus="yes">
        <source>The figures of {n} answers were written to {path}.</source>
        <translation>
            <numerusform>已将 {n} 次回答的数据写入 {path}。</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>LatencyPanel</name>
    <message>
        <source>Latency</source>
        <translation>延迟</translation>
    </message>
    <message>
        <source>this chat</source>
        <translation>此对话</translation>
    </message>
    <message>
        <source>this session</source>
        <translation>本次会话</translation>
    </message>
    <message>
        <source>24 hours</source>
        <translation>24 小时</translation>
    </message>
    <message>
        <source>all time</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>Which answers the percentiles cover</source>
        <translation>百分位数覆盖哪些回答</translation>
    </message>
    <message>
        <source>Close the latency panel</source>
        <translation>关闭延迟面板</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Compare answers…</source>
        <translation>比较回答…</translation>
    </message>
    <message>
        <source>What each technique brings…</source>
        <translation>各项技术的效果…</translation>
    </message>
    <message>
        <source>Export the figures…</source>
        <translation>导出数据…</translation>
    </message>
    <message>
        <source>Ask something, and see here where the time of each answer goes.</source>
        <translation>提个问题吧：这里会显示每个回答的时间花在哪里。</translation>
    </message>
    <message>
        <source>Figures</source>
        <translation>各项指标</translation>
    </message>
</context>
<context>
    <name>LatencyStrip</name>
    <message>
        <source>Latency</source>
        <translation>延迟</translation>
    </message>
    <message numerus="yes">
        <source>{n} alerts</source>
        <translation>
            <numerusform>{n} 个警报</numerusform>
        </translation>
    </message>
    <message>
        <source>reading </source>
        <translation>正在读取 </translation>
    </message>
    <message numerus="yes">
        <source> of {n} tokens</source>
        <translation>
            <numerusform> / {n} 个 token</numerusform>
        </translation>
    </message>
    <message>
        <source>, {n} cached</source>
        <translation>，{n} 个已缓存</translation>
    </message>
    <message>
        <source>, {rate} tok/s</source>
        <translation>，{rate} tok/s</translation>
    </message>
    <message>
        <source>, {time} left</source>
        <translation>，剩余 {time}</translation>
    </message>
    <message>
        <source>waiting for another answer</source>
        <translation>等待另一个回答</translation>
    </message>
    <message>
        <source>waiting for the model</source>
        <translation>等待模型</translation>
    </message>
    <message>
        <source>no answer yet</source>
        <translation>尚无回答</translation>
    </message>
    <message>
        <source>TTFT </source>
        <translation>TTFT </translation>
    </message>
    <message>
        <source>{rate} tok/s</source>
        <translation>{rate} tok/s</translation>
    </message>
    <message>
        <source>ITL </source>
        <translation>ITL </translation>
    </message>
    <message>
        <source> · P99 </source>
        <translation> · P99 </translation>
    </message>
    <message>
        <source> · halting</source>
        <translation> · 卡顿</translation>
    </message>
    <message>
        <source>Between tokens {p50} milliseconds, 99th percentile {p99}</source>
        <translation>token 间隔 {p50} 毫秒，第 99 百分位 {p99}</translation>
    </message>
    <message>
        <source>{share} of memory bandwidth</source>
        <translation>内存带宽的 {share}</translation>
    </message>
    <message>
        <source>KV </source>
        <translation>KV </translation>
    </message>
    <message>
        <source>context </source>
        <translation>上下文 </translation>
    </message>
    <message>
        <source>VRAM </source>
        <translation>显存 </translation>
    </message>
    <message>
        <source>RAM </source>
        <translation>内存 </translation>
    </message>
    <message>
        <source>What the engine is doing for this chat right now.</source>
        <translation>引擎此刻正在为此对话做什么。</translation>
    </message>
    <message>
        <source>Time to first token: from Enter to the first painted glyph, where it was measured here.
Queueing, model loading, template, cache restore, prefill and painting added up.
Over 0.3 s is a felt pause, over 1 s makes people doubt that it was sent.</source>
        <translation>首 token 时间：从按下 Enter 到屏幕上出现第一个字（如在本机测得）。
包括排队、加载模型、套用模板、恢复缓存、预填充和绘制。
超过 0.3 秒能感到停顿，超过 1 秒会让人怀疑是否发送成功。</translation>
    </message>
    <message>
        <source>Decode rate: 1 / time per output token. The token that the prefill yields is not counted.</source>
        <translation>解码速率：1 / 每个输出 token 的时间。预填充产生的那个 token 不计入。</translation>
    </message>
    <message>
        <source>Inter-token latency: the gaps between successive tokens of this answer, median and 99th percentile.
Over 50 ms is no longer fluid, over 200 ms is halting.</source>
        <translation>token 间延迟：此回答相邻 token 的间隔，中位数与第 99 百分位。
超过 50 毫秒不再流畅，超过 200 毫秒显得卡顿。</translation>
    </message>
    <message>
        <source>Bytes of KV cache that this chat holds, and the cache&apos;s element type.</source>
        <translation>此对话占用的 KV 缓存字节数及缓存元素类型。</translation>
    </message>
    <message>
        <source>Tokens of this chat in the model&apos;s context, and how many fit.</source>
        <translation>此对话在模型上下文中的 token 数，以及可容纳的数量。</translation>
    </message>
    <message>
        <source>Memory in use and total: of the GPU, or of the computer where there is none.</source>
        <translation>已用与总内存：GPU 的显存；没有 GPU 时为本机内存。</translation>
    </message>
    <message>
        <source>Readings over their thresholds; the latency panel lists them.</source>
        <translation>超过阈值的读数；延迟面板中有列表。</translation>
    </message>
    <message>
        <source>Memory bandwidth utilisation: bytes read per token × tokens per second, against the
bandwidth measured on this machine. Near 100 % the hardware is the limit.</source>
        <translation>内存带宽利用率：每个 token 读取的字节数 × 每秒 token 数，与本机实测带宽之比。
接近 100% 时，瓶颈就是硬件本身。</translation>
    </message>
</context>
<context>
    <name>LibraryController</name>
    <message>
        <source>Load it</source>
        <translation>加载</translation>
    </message>
    <message>
        <source>{name} was moved to Firstlight&apos;s trash.</source>
        <translation>{name} 已移到 Firstlight 的回收站。</translation>
    </message>
    <message>
        <source>Verified: it is what the hub gave, byte for byte.</source>
        <translation>已校验：与模型库提供的文件逐字节一致。</translation>
    </message>
    <message>
        <source>{name} is downloaded and verified.</source>
        <translation>{name} 已下载并校验。</translation>
    </message>
    <message>
        <source>No GPU in use</source>
        <translation>未使用 GPU</translation>
    </message>
</context>
<context>
    <name>LimitsCard</name>
    <message>
        <source>Against this machine&apos;s limits</source>
        <translation>与本机极限相比</translation>
    </message>
    <message>
        <source>the measured limit</source>
        <translation>测得的极限</translation>
    </message>
    <message>
        <source>decode: {share} of {limit} bandwidth</source>
        <translation>解码：内存带宽 {limit} 的 {share}</translation>
    </message>
    <message>
        <source>Bytes read for each token (weights and KV) × tokens a second, against the bandwidth measured here.</source>
        <translation>每个 token 读取的字节数（权重和 KV）× 每秒 token 数，与本机测得的带宽相比。</translation>
    </message>
    <message>
        <source>prefill: {rate} tok/s, {share} of the best here</source>
        <translation>预填充：{rate} tok/s，为本机最佳的 {share}</translation>
    </message>
    <message>
        <source>prefill: {rate} tok/s, the best here so far</source>
        <translation>预填充：{rate} tok/s，为本机迄今最佳</translation>
    </message>
    <message>
        <source>Arithmetic for each token × tokens a second, against the rate reached or measured here.</source>
        <translation>每个 token 的运算量 × 每秒 token 数，与本机达到或测得的速率相比。</translation>
    </message>
</context>
<context>
    <name>LinkQuestion</name>
    <message>
        <source>Open a link</source>
        <translation>打开链接</translation>
    </message>
    <message>
        <source>Open this address in the browser?</source>
        <translation>在浏览器中打开此地址？</translation>
    </message>
</context>
<context>
    <name>LoadNotices</name>
    <message>
        <source>Load again</source>
        <translation>重新加载</translation>
    </message>
    <message>
        <source>Choose a model</source>
        <translation>选择模型</translation>
    </message>
</context>
<context>
    <name>LoadPlanView</name>
    <message numerus="yes">
        <source>{n} tokens of context</source>
        <translation>
            <numerusform>{n} 个 token 的上下文</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>experts of {n} layers on the CPU</source>
        <translation>
            <numerusform>{n} 层的专家在 CPU 上</numerusform>
        </translation>
    </message>
    <message>
        <source>about {rate} tok/s</source>
        <translation>约 {rate} tok/s</translation>
    </message>
    <message>
        <source>1,000 tokens read in {time}</source>
        <translation>读取 1,000 个 token 需 {time}</translation>
    </message>
    <message numerus="yes">
        <source>{n} of {total} layers</source>
        <translation>
            <numerusform>{n} / {total} 层</numerusform>
        </translation>
    </message>
    <message>
        <source>{used} of {free} free</source>
        <translation>占用 {used} / 可用 {free}</translation>
    </message>
    <message>
        <source>{used} needed, {free} free</source>
        <translation>需要 {used}，可用 {free}</translation>
    </message>
    <message>
        <source>weights {size}</source>
        <translation>权重 {size}</translation>
    </message>
    <message>
        <source>KV {size}</source>
        <translation>KV {size}</translation>
    </message>
    <message>
        <source>compute {size}</source>
        <translation>计算 {size}</translation>
    </message>
</context>
<context>
    <name>LoadingPage</name>
    <message>
        <source>Loading</source>
        <translation>加载</translation>
    </message>
    <message>
        <source>For</source>
        <translation>适用于</translation>
    </message>
    <message>
        <source>For every model without settings of its own.</source>
        <translation>适用于没有自己设置的所有模型。</translation>
    </message>
    <message>
        <source>Follow the settings of all models again</source>
        <translation>重新沿用所有模型的设置</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>Tokens that one chat can hold. Automatic takes what fits, up to what the model was trained for.</source>
        <translation>单个对话可容纳的 token 数。“自动”取放得下的最大值，不超过训练长度。</translation>
    </message>
    <message>
        <source>KV cache type</source>
        <translation>KV 缓存类型</translation>
    </message>
    <message>
        <source>q8_0 halves the memory of a context and is hard to tell from f16; q4_0 quarters it, and it shows.</source>
        <translation>q8_0 使上下文内存减半，与 f16 难以区分；q4_0 降到四分之一，但能察觉差异。</translation>
    </message>
    <message>
        <source>Flash attention</source>
        <translation>Flash Attention</translation>
    </message>
    <message>
        <source>On</source>
        <translation>开启</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Less memory and a faster prefill; a quantized KV cache needs it.</source>
        <translation>占用更少内存，预填充更快；量化的 KV 缓存需要它。</translation>
    </message>
    <message>
        <source>What it comes to</source>
        <translation>预计占用</translation>
    </message>
    <message>
        <source>Load the model again</source>
        <translation>重新加载模型</translation>
    </message>
    <message>
        <source>Settings of this page count when a model is loaded.</source>
        <translation>本页的设置在加载模型时生效。</translation>
    </message>
    <message>
        <source>While it runs</source>
        <translation>运行时</translation>
    </message>
    <message>
        <source>CPU threads</source>
        <translation>CPU 线程</translation>
    </message>
    <message>
        <source>Parallel sequences</source>
        <translation>并行序列</translation>
    </message>
    <message>
        <source>Answers that can run at once; they share one cache.</source>
        <translation>可同时进行的回答数；它们共享同一缓存。</translation>
    </message>
    <message>
        <source>Speculative decoding</source>
        <translation>推测解码</translation>
    </message>
    <message>
        <source>From the text so far</source>
        <translation>取自已有文本</translation>
    </message>
    <message>
        <source>With a small model</source>
        <translation>用小模型</translation>
    </message>
    <message>
        <source>Guesses several tokens and checks them in one step. It pays where text is repeated, and never changes what is answered.</source>
        <translation>一次猜测多个 token 并在一步内验证。文本重复时有收益，且从不改变回答内容。</translation>
    </message>
    <message>
        <source>Kept for chats</source>
        <translation>为对话保留</translation>
    </message>
    <message>
        <source>Snapshots in memory</source>
        <translation>内存中的快照</translation>
    </message>
    <message>
        <source>A chat whose KV cache is kept is opened in milliseconds instead of being read again.</source>
        <translation>保留了 KV 缓存的对话可在数毫秒内打开，无需重新读取。</translation>
    </message>
    <message>
        <source>Snapshots on disk</source>
        <translation>磁盘上的快照</translation>
    </message>
    <message>
        <source>They outlive a restart. Deleting a chat deletes its snapshots.</source>
        <translation>重启后仍保留。删除对话会同时删除其快照。</translation>
    </message>
    <message>
        <source> GB</source>
        <translation> GB</translation>
    </message>
    <message>
        <source>None</source>
        <translation>无</translation>
    </message>
    <message>
        <source>All models</source>
        <translation>所有模型</translation>
    </message>
    <message>
        <source>Only {name}</source>
        <translation>仅 {name}</translation>
    </message>
    <message>
        <source>It has settings of its own and no longer follows those of all models.</source>
        <translation>它有自己的设置，不再沿用所有模型的设置。</translation>
    </message>
    <message>
        <source>It follows the settings of all models. A change here gives it its own.</source>
        <translation>它沿用所有模型的设置。在此修改后，它将有自己的设置。</translation>
    </message>
    <message>
        <source>Choose a model to see what these settings come to with it.</source>
        <translation>选择一个模型，以查看这些设置的效果。</translation>
    </message>
    <message>
        <source>Load the model</source>
        <translation>加载模型</translation>
    </message>
    <message>
        <source>on</source>
        <translation>开</translation>
    </message>
    <message>
        <source>off</source>
        <translation>关</translation>
    </message>
    <message>
        <source>{n} of {total}</source>
        <translation>{n} / {total}</translation>
    </message>
    <message>
        <source>from the text so far</source>
        <translation>取自已有文本</translation>
    </message>
    <message>
        <source>with a small model</source>
        <translation>用小模型</translation>
    </message>
</context>
<context>
    <name>LocalPage</name>
    <message>
        <source>Models on this computer</source>
        <translation>本机上的模型</translation>
    </message>
    <message>
        <source>Add a folder…</source>
        <translation>添加文件夹…</translation>
    </message>
    <message>
        <source>Empty the trash</source>
        <translation>清空回收站</translation>
    </message>
    <message>
        <source>{size} in all</source>
        <translation>共 {size}</translation>
    </message>
    <message>
        <source>No models yet. Those of LM Studio, Ollama and the hub cache are found too.</source>
        <translation>还没有模型。LM Studio、Ollama 和模型库缓存中的模型也会被找到。</translation>
    </message>
    <message>
        <source>Find a model</source>
        <translation>查找模型</translation>
    </message>
    <message>
        <source>{size} in the trash</source>
        <translation>回收站 {size}</translation>
    </message>
    <message>
        <source>Verifying, {share}</source>
        <translation>正在校验，{share}</translation>
    </message>
    <message>
        <source>Quantization</source>
        <translation>量化</translation>
    </message>
    <message>
        <source>Tensor types</source>
        <translation>张量类型</translation>
    </message>
    <message>
        <source>Architecture</source>
        <translation>架构</translation>
    </message>
    <message>
        <source>From</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Last loaded</source>
        <translation>上次加载</translation>
    </message>
    <message>
        <source>Load</source>
        <translation>加载</translation>
    </message>
    <message>
        <source>Unload</source>
        <translation>卸载</translation>
    </message>
    <message>
        <source>Download it again…</source>
        <translation>重新下载…</translation>
    </message>
    <message>
        <source>Keep warm</source>
        <translation>保持加载</translation>
    </message>
    <message>
        <source>Loads at the start, and never leaves memory for another model.</source>
        <translation>启动时加载，且不会为其他模型让出内存。</translation>
    </message>
    <message>
        <source>Loading settings…</source>
        <translation>加载设置…</translation>
    </message>
    <message>
        <source>Make another quantization…</source>
        <translation>制作另一种量化…</translation>
    </message>
    <message>
        <source>Verify</source>
        <translation>校验</translation>
    </message>
    <message>
        <source>Show folder</source>
        <translation>打开文件夹</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Connect the drive, or bring the folder back, and the model is here again.</source>
        <translation>重新连接磁盘或恢复文件夹后，模型会再次出现。</translation>
    </message>
    <message>
        <source>{bits} bits</source>
        <translation>{bits} 位</translation>
    </message>
    <message>
        <source>Loading…</source>
        <translation>正在加载…</translation>
    </message>
    <message>
        <source>{n} context</source>
        <translation>{n} 上下文</translation>
    </message>
    <message>
        <source>missing</source>
        <translation>缺失</translation>
    </message>
    <message>
        <source>damaged</source>
        <translation>已损坏</translation>
    </message>
    <message>
        <source>incomplete</source>
        <translation>不完整</translation>
    </message>
    <message>
        <source>loading</source>
        <translation>加载中</translation>
    </message>
    <message>
        <source>loaded</source>
        <translation>已加载</translation>
    </message>
    <message>
        <source>embeddings</source>
        <translation>嵌入</translation>
    </message>
    <message>
        <source>image part of another model</source>
        <translation>其他模型的图像部分</translation>
    </message>
    <message>
        <source>adapter</source>
        <translation>适配器</translation>
    </message>
    <message>
        <source>vocabulary only</source>
        <translation>仅词表</translation>
    </message>
    <message>
        <source>no chat model</source>
        <translation>非聊天模型</translation>
    </message>
    <message>
        <source>Turns text into numbers for search. It cannot answer; the local API serves it.</source>
        <translation>把文本转成用于搜索的向量。它不能回答；由本地 API 提供服务。</translation>
    </message>
    <message>
        <source>Lets the model that it was made for see images. It is no model by itself.</source>
        <translation>让配套的模型能看图像；它本身不是模型。</translation>
    </message>
    <message>
        <source>Changes how the model that it was made for answers; it is loaded together with that model.</source>
        <translation>改变配套模型的回答方式；与该模型一同加载。</translation>
    </message>
    <message>
        <source>Holds only a vocabulary, no weights.</source>
        <translation>只有词表，没有权重。</translation>
    </message>
    <message>
        <source>This file is no chat model.</source>
        <translation>此文件不是聊天模型。</translation>
    </message>
    <message>
        <source>Firstlight</source>
        <translation>Firstlight</translation>
    </message>
    <message>
        <source>hub cache</source>
        <translation>模型库缓存</translation>
    </message>
    <message>
        <source>your folder</source>
        <translation>您的文件夹</translation>
    </message>
    <message>
        <source>came with Firstlight</source>
        <translation>随 Firstlight 提供</translation>
    </message>
    <message>
        <source>Unload it first.</source>
        <translation>请先卸载。</translation>
    </message>
    <message>
        <source>Firstlight did not download it, so it is not deleted from here.</source>
        <translation>它不是由 Firstlight 下载的，因此不能在此删除。</translation>
    </message>
    <message>
        <source>Moves it to Firstlight&apos;s trash; it can be taken back.</source>
        <translation>移到 Firstlight 的回收站；可以恢复。</translation>
    </message>
    <message>
        <source>Stop verifying</source>
        <translation>停止校验</translation>
    </message>
    <message>
        <source>Licence</source>
        <translation>许可证</translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>Chat</source>
        <translation>聊天</translation>
    </message>
</context>
<context>
    <name>MemoryCard</name>
    <message>
        <source>GPU memory</source>
        <translation>显存</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>weights {size}</source>
        <translation>权重 {size}</translation>
    </message>
    <message>
        <source>KV {size}</source>
        <translation>KV {size}</translation>
    </message>
    <message>
        <source>compute {size}</source>
        <translation>计算 {size}</translation>
    </message>
    <message>
        <source>others {size}</source>
        <translation>其他 {size}</translation>
    </message>
    <message>
        <source>On {device}.</source>
        <translation>位于 {device}。</translation>
    </message>
    <message>
        <source>Expected before loading: {size} ({share}).</source>
        <translation>加载前预计：{size}（{share}）。</translation>
    </message>
</context>
<context>
    <name>Message</name>
    <message>
        <source>You</source>
        <translation>您</translation>
    </message>
    <message>
        <source>Assistant</source>
        <translation>助手</translation>
    </message>
    <message>
        <source>System prompt</source>
        <translation>系统提示词</translation>
    </message>
    <message>
        <source>Tool result</source>
        <translation>工具结果</translation>
    </message>
    <message>
        <source>{who}: {text}</source>
        <translation>{who}：{text}</translation>
    </message>
    <message>
        <source>version {n} of {count}</source>
        <translation>第 {n} 个版本，共 {count} 个</translation>
    </message>
</context>
<context>
    <name>MessageArea</name>
    <message>
        <source>Conversation</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>the model sees from here</source>
        <translation>模型只看到以下内容</translation>
    </message>
</context>
<context>
    <name>MessageCard</name>
    <message>
        <source>Send</source>
        <translation>发送</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Open link</source>
        <translation>打开链接</translation>
    </message>
    <message>
        <source>Copy code</source>
        <translation>复制代码</translation>
    </message>
    <message>
        <source>Copy as plain text</source>
        <translation>复制为纯文本</translation>
    </message>
</context>
<context>
    <name>MessageEditor</name>
    <message>
        <source>Message text</source>
        <translation>消息内容</translation>
    </message>
    <message>
        <source>Ctrl+Enter</source>
        <translation>Ctrl+Enter</translation>
    </message>
    <message>
        <source>Ctrl+Enter: {verb}</source>
        <translation>Ctrl+Enter：{verb}</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Esc</source>
        <translation>Esc</translation>
    </message>
</context>
<context>
    <name>MessageFooter</name>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>编辑</translation>
    </message>
    <message>
        <source>Regenerate</source>
        <translation>重新生成</translation>
    </message>
    <message>
        <source>More actions</source>
        <translation>更多操作</translation>
    </message>
    <message>
        <source>Previous version</source>
        <translation>上一个版本</translation>
    </message>
    <message>
        <source>Next version</source>
        <translation>下一个版本</translation>
    </message>
    <message>
        <source>Copy as Markdown</source>
        <translation>复制为 Markdown</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>已复制</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Answer this</source>
        <translation>回答此消息</translation>
    </message>
    <message>
        <source>Regenerate with…</source>
        <translation>用其他模型重新生成…</translation>
    </message>
    <message>
        <source>Duplicate chat from here</source>
        <translation>从此处复制一份对话</translation>
    </message>
    <message>
        <source>Add to prompt library</source>
        <translation>添加到提示词库</translation>
    </message>
    <message>
        <source>Why slow?</source>
        <translation>为什么慢？</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
</context>
<context>
    <name>MessageVersions</name>
    <message>
        <source>An answer is still being written. Stop it or wait for its end, then save this again.</source>
        <translation>回答仍在生成。请停止它或等它结束，然后再保存一次。</translation>
    </message>
    <message>
        <source>A message cannot be empty. Delete it instead.</source>
        <translation>消息不能为空。如不需要，请删除它。</translation>
    </message>
    <message>
        <source>This message is no longer shown. Copy the text into a new one.</source>
        <translation>这条消息已不再显示。请将文字复制到新消息中。</translation>
    </message>
    <message>
        <source>The message was deleted.</source>
        <translation>消息已删除。</translation>
    </message>
</context>
<context>
    <name>ModelCardFigures</name>
    <message>
        <source>parameters</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>context at most</source>
        <translation>最大上下文</translation>
    </message>
    <message>
        <source>measured here</source>
        <translation>本机实测</translation>
    </message>
    <message>
        <source>expected here</source>
        <translation>本机预计</translation>
    </message>
    <message>
        <source>{rate} tok/s</source>
        <translation>{rate} tok/s</translation>
    </message>
    <message>
        <source>for 1,000 tokens read</source>
        <translation>读取 1,000 个 token</translation>
    </message>
    <message numerus="yes">
        <source>Fits, with the experts of {n} layers on the CPU: it needs {need} with {ctx} context.</source>
        <translation>
            <numerusform>放得下，{n} 层的专家放在 CPU 上：{ctx} 上下文需要 {need}。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} of {all} layers fit on the GPU: it needs {need} with {ctx} context.</source>
        <translation>
            <numerusform>{all} 层中有 {n} 层能放进 GPU：{ctx} 上下文需要 {need}。</numerusform>
        </translation>
    </message>
    <message>
        <source>Fits: it needs {need} with {ctx} context.</source>
        <translation>放得下：{ctx} 上下文需要 {need}。</translation>
    </message>
    <message>
        <source>Fits with little room: it needs {need} with {ctx} context.</source>
        <translation>放得下，但余量很小：{ctx} 上下文需要 {need}。</translation>
    </message>
    <message>
        <source>Runs on the CPU: it needs {need} with {ctx} context.</source>
        <translation>在 CPU 上运行：{ctx} 上下文需要 {need}。</translation>
    </message>
    <message>
        <source>Does not fit: it needs {need} with {ctx} context.</source>
        <translation>放不下：{ctx} 上下文需要 {need}。</translation>
    </message>
</context>
<context>
    <name>ModelChip</name>
    <message>
        <source>Model: {name}, {state}. {details}</source>
        <translation>模型：{name}，{state}。{details}</translation>
    </message>
    <message>
        <source>No model</source>
        <translation>无模型</translation>
    </message>
    <message>
        <source>could not be loaded</source>
        <translation>无法加载</translation>
    </message>
    <message>
        <source>stopped by a fault</source>
        <translation>因故障停止</translation>
    </message>
    <message>
        <source>not loaded</source>
        <translation>未加载</translation>
    </message>
    <message>
        <source>{n} context</source>
        <translation>{n} 上下文</translation>
    </message>
    <message>
        <source>opening</source>
        <translation>打开文件</translation>
    </message>
    <message>
        <source>reading weights</source>
        <translation>读取权重</translation>
    </message>
    <message>
        <source>making room for the context</source>
        <translation>分配上下文</translation>
    </message>
    <message>
        <source>warming up</source>
        <translation>预热</translation>
    </message>
    <message>
        <source>loading</source>
        <translation>加载中</translation>
    </message>
    <message>
        <source>ready</source>
        <translation>就绪</translation>
    </message>
    <message>
        <source>answering</source>
        <translation>回答中</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>Choose a model</source>
        <translation>选择模型</translation>
    </message>
    <message>
        <source>What the engine reports:</source>
        <translation>引擎报告：</translation>
    </message>
    <message numerus="yes">
        <source>{n} threads · batch {batch}/{ubatch} · flash attention {flash}</source>
        <translation>
            <numerusform>{n} 线程 · 批 {batch}/{ubatch} · Flash Attention {flash}</numerusform>
        </translation>
    </message>
    <message>
        <source>on</source>
        <translation>开</translation>
    </message>
    <message>
        <source>off</source>
        <translation>关</translation>
    </message>
</context>
<context>
    <name>ModelManager</name>
    <message>
        <source>Add a folder with models</source>
        <translation>添加模型文件夹</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Pages</source>
        <translation>页面</translation>
    </message>
    <message>
        <source>On this computer</source>
        <translation>本机</translation>
    </message>
    <message>
        <source>Find</source>
        <translation>查找</translation>
    </message>
    <message>
        <source>Downloads</source>
        <translation>下载</translation>
    </message>
    <message>
        <source>{free} of {total} free</source>
        <translation>可用 {free} / {total}</translation>
    </message>
    <message>
        <source>{rate}/s</source>
        <translation>{rate}/s</translation>
    </message>
    <message>
        <source>{size} free on disk</source>
        <translation>磁盘可用 {size}</translation>
    </message>
</context>
<context>
    <name>ModelPicker</name>
    <message>
        <source>Manage models…</source>
        <translation>管理模型…</translation>
    </message>
    <message>
        <source>download, delete, keep warm</source>
        <translation>下载、删除、保持加载</translation>
    </message>
    <message>
        <source>Choose a model</source>
        <translation>选择模型</translation>
    </message>
    <message>
        <source>missing</source>
        <translation>缺失</translation>
    </message>
    <message>
        <source>incomplete</source>
        <translation>不完整</translation>
    </message>
    <message>
        <source>damaged</source>
        <translation>已损坏</translation>
    </message>
    <message>
        <source>loaded</source>
        <translation>已加载</translation>
    </message>
</context>
<context>
    <name>ModelsPage</name>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>On this computer</source>
        <translation>本机</translation>
    </message>
    <message>
        <source>Folders with models</source>
        <translation>模型文件夹</translation>
    </message>
    <message>
        <source>Add a folder…</source>
        <translation>添加文件夹…</translation>
    </message>
    <message>
        <source>None beside Firstlight&apos;s own, the hub cache, LM Studio&apos;s and Ollama&apos;s.</source>
        <translation>除 Firstlight 自己的、模型库缓存、LM Studio 和 Ollama 的文件夹外没有其他。</translation>
    </message>
    <message>
        <source>Folder with models</source>
        <translation>模型文件夹</translation>
    </message>
    <message>
        <source>More folders</source>
        <translation>更多文件夹</translation>
    </message>
    <message>
        <source>Models there are used in place.</source>
        <translation>直接使用其中的模型，不复制。</translation>
    </message>
    <message>
        <source>The hub</source>
        <translation>模型库</translation>
    </message>
    <message>
        <source>Stay offline</source>
        <translation>保持离线</translation>
    </message>
    <message>
        <source>Nothing is searched or downloaded.</source>
        <translation>不搜索，也不下载。</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>地址</translation>
    </message>
    <message>
        <source>A mirror, such as https://hub.example.org; empty for the public hub.</source>
        <translation>镜像地址，如 https://hub.example.org；留空则使用公共模型库。</translation>
    </message>
    <message>
        <source>The public hub</source>
        <translation>公共模型库</translation>
    </message>
    <message>
        <source>Proxy</source>
        <translation>代理</translation>
    </message>
    <message>
        <source>Empty: as the system.</source>
        <translation>留空：跟随系统。</translation>
    </message>
    <message>
        <source>Firstlight&apos;s data folder</source>
        <translation>Firstlight 的数据文件夹</translation>
    </message>
    <message>
        <source>Download to</source>
        <translation>下载到</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>选择…</translation>
    </message>
    <message>
        <source>Choose the folder to download to</source>
        <translation>选择下载文件夹</translation>
    </message>
    <message>
        <source>Token</source>
        <translation>令牌</translation>
    </message>
    <message>
        <source>Paste a token</source>
        <translation>粘贴令牌</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Forget</source>
        <translation>清除</translation>
    </message>
    <message>
        <source>Keep the token</source>
        <translation>保存令牌</translation>
    </message>
    <message>
        <source>Forget the token</source>
        <translation>清除令牌</translation>
    </message>
    <message>
        <source>For models whose licence has to be accepted first. It is kept in the system&apos;s keyring only.</source>
        <translation>用于需先接受许可证的模型。仅保存在系统的密钥环中。</translation>
    </message>
</context>
<context>
    <name>NoticeBar</name>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
</context>
<context>
    <name>NoticeLine</name>
    <message>
        <source>Warning</source>
        <translation>警告</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>提示</translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>OtherModelController</name>
    <message>
        <source>Regenerate with another model or preset</source>
        <translation>用其他模型或预设重新生成</translation>
    </message>
    <message>
        <source>preset</source>
        <translation>预设</translation>
    </message>
    <message>
        <source>{name} writes this version. The chat goes on with {chosen}.</source>
        <translation>此版本由 {name} 生成。对话之后仍使用 {chosen}。</translation>
    </message>
    <message>
        <source>Loading {name} for another version of the answer: {percent}</source>
        <translation>正在加载 {name} 以生成另一个版本：{percent}</translation>
    </message>
    <message>
        <source>{name}, which began this answer, is not on this computer. {chosen} goes on with it.</source>
        <translation>开始写这个回答的 {name} 不在这台电脑上，由 {chosen} 接着写。</translation>
    </message>
    <message>
        <source>Loading {name}, which began this answer, to go on with it: {percent}</source>
        <translation>正在加载开始写这个回答的 {name}，以便接着写：{percent}</translation>
    </message>
    <message>
        <source>{name} goes on with the answer that it began. The chat goes on with {chosen}.</source>
        <translation>{name} 接着写自己开始的回答。对话仍由 {chosen} 继续。</translation>
    </message>
</context>
<context>
    <name>OverflowLine</name>
    <message>
        <source>Warning</source>
        <translation>警告</translation>
    </message>
    <message>
        <source>Choose a part…</source>
        <translation>选择一部分…</translation>
    </message>
    <message>
        <source>Make room…</source>
        <translation>腾出空间…</translation>
    </message>
    <message numerus="yes">
        <source>{name} does not fit: the message is {n} tokens too long.</source>
        <translation>
            <numerusform>{name} 放不下：消息超出 {n} 个 token。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The files do not fit together: the message is {n} tokens too long.</source>
        <translation>
            <numerusform>这些文件放不下：消息超出 {n} 个 token。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The message is {n} tokens too long for the model&apos;s context.</source>
        <translation>
            <numerusform>消息超出模型上下文 {n} 个 token。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>This chat is full: with the message it has {n} tokens, and there is room for {room}.</source>
        <translation>
            <numerusform>这个对话已满：加上这条消息有 {n} 个 token，只容得下 {room} 个。</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>PanelController</name>
    <message>
        <source>No known cause explains its figures.</source>
        <translation>没有已知原因能解释这些数据。</translation>
    </message>
</context>
<context>
    <name>PartController</name>
    <message>
        <source>Written text</source>
        <translation>已输入的文字</translation>
    </message>
</context>
<context>
    <name>PartDialog</name>
    <message>
        <source>Pages</source>
        <translation>页</translation>
    </message>
    <message>
        <source>Lines</source>
        <translation>行</translation>
    </message>
    <message>
        <source>Sections</source>
        <translation>段</translation>
    </message>
    <message>
        <source>Cut between</source>
        <translation>切分单位</translation>
    </message>
    <message>
        <source>From</source>
        <translation>从</translation>
    </message>
    <message>
        <source>To</source>
        <translation>到</translation>
    </message>
    <message>
        <source>to</source>
        <translation>到</translation>
    </message>
    <message>
        <source>Begins with</source>
        <translation>开头</translation>
    </message>
    <message>
        <source>Ends with</source>
        <translation>结尾</translation>
    </message>
    <message>
        <source>Everything</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>From the beginning</source>
        <translation>从头开始</translation>
    </message>
    <message>
        <source>Up to the end</source>
        <translation>到结尾为止</translation>
    </message>
    <message>
        <source>A range</source>
        <translation>指定范围</translation>
    </message>
    <message>
        <source>Put it into the message</source>
        <translation>插入到消息中</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>As text that you can edit, instead of a file</source>
        <translation>作为可编辑的文字，而不是文件</translation>
    </message>
    <message>
        <source>of {n}</source>
        <translation>共 {n}</translation>
    </message>
    <message>
        <source>about </source>
        <translation>约 </translation>
    </message>
    <message numerus="yes">
        <source>{about}{n} tokens</source>
        <translation>
            <numerusform>{about}{n} 个 token</numerusform>
        </translation>
    </message>
    <message>
        <source> · {n} too many</source>
        <translation> · 超出 {n} 个 token</translation>
    </message>
    <message>
        <source>{first} to {last} {of}, {count}</source>
        <translation>{first} 到 {last}，{of}，{count}</translation>
    </message>
    <message numerus="yes">
        <source>{n} tokens</source>
        <translation>
            <numerusform>{n} 个 token</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} tokens · the rest of the message is already {excess} too long</source>
        <translation>
            <numerusform>{n} 个 token · 仅消息的其余部分就已超出 {excess} 个</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} tokens · room for {room} in this message</source>
        <translation>
            <numerusform>{n} 个 token · 本条消息可容纳 {room} 个</numerusform>
        </translation>
    </message>
    <message>
        <source>Attach all of it</source>
        <translation>附上全部</translation>
    </message>
    <message>
        <source>Attach this part</source>
        <translation>附上这一部分</translation>
    </message>
</context>
<context>
    <name>PercentileCard</name>
    <message>
        <source>Percentiles, ms</source>
        <translation>百分位数（毫秒）</translation>
    </message>
    <message>
        <source>TTFT</source>
        <translation>TTFT</translation>
    </message>
    <message>
        <source>Time to first token as the engine measures it: from the request on, without painting.</source>
        <translation>引擎测得的首 token 时间：从收到请求算起，不含绘制。</translation>
    </message>
    <message>
        <source>ITL</source>
        <translation>ITL</translation>
    </message>
    <message>
        <source>Inter-token latency: every gap between two tokens.</source>
        <translation>token 间延迟：相邻两个 token 的每个间隔。</translation>
    </message>
    <message>
        <source>TPOT</source>
        <translation>TPOT</translation>
    </message>
    <message>
        <source>Time per output token: decode time over the tokens after the first.</source>
        <translation>每个输出 token 的时间：解码时间除以首个之后的 token 数。</translation>
    </message>
    <message>
        <source>Total</source>
        <translation>总耗时</translation>
    </message>
    <message>
        <source>From the request to the last token.</source>
        <translation>从请求到最后一个 token。</translation>
    </message>
    <message>
        <source>Which model and settings the percentiles cover</source>
        <translation>百分位数涵盖的模型与设置</translation>
    </message>
    <message>
        <source>No answers here yet.</source>
        <translation>这里还没有回答。</translation>
    </message>
    <message numerus="yes">
        <source>{failed} of {all} failed · {n} tokens an hour</source>
        <translation>
            <numerusform>{all} 次中失败 {failed} 次 · 每小时 {n} 个 token</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} answers</source>
        <translation>
            <numerusform>{n} 次回答</numerusform>
        </translation>
    </message>
    <message>
        <source>all models and settings</source>
        <translation>所有模型与设置</translation>
    </message>
</context>
<context>
    <name>PerformancePage</name>
    <message>
        <source>Performance</source>
        <translation>性能</translation>
    </message>
    <message>
        <source>Kept in memory</source>
        <translation>驻留内存</translation>
    </message>
    <message>
        <source>Models that stay loaded</source>
        <translation>保持加载的模型</translation>
    </message>
    <message>
        <source>None. “Keep warm” in the list of models adds one.</source>
        <translation>无。在模型列表中选择“保持加载”即可添加。</translation>
    </message>
    <message>
        <source>Always loaded</source>
        <translation>始终加载</translation>
    </message>
    <message>
        <source>Models at once</source>
        <translation>同时加载的模型数</translation>
    </message>
    <message>
        <source>When one more is wanted, the one that was used longest ago leaves.</source>
        <translation>需要再加载一个时，会卸载最久未用的模型。</translation>
    </message>
    <message>
        <source>Unload when idle</source>
        <translation>空闲时卸载</translation>
    </message>
    <message>
        <source>An unloaded model has to be read from disk before its next answer.</source>
        <translation>卸载后的模型在下次回答前需要从磁盘读取。</translation>
    </message>
    <message>
        <source> min</source>
        <translation> 分钟</translation>
    </message>
    <message>
        <source>Never</source>
        <translation>从不</translation>
    </message>
    <message>
        <source>Memory for models</source>
        <translation>模型可用内存</translation>
    </message>
    <message>
        <source>All loaded models together.</source>
        <translation>所有已加载模型合计。</translation>
    </message>
    <message>
        <source> GB</source>
        <translation> GB</translation>
    </message>
    <message>
        <source>Half of what is free</source>
        <translation>可用内存的一半</translation>
    </message>
    <message>
        <source>Ahead of the first token</source>
        <translation>首个 token 之前</translation>
    </message>
    <message>
        <source>Prepare while you type</source>
        <translation>输入时预备</translation>
    </message>
    <message>
        <source>The model reads the chat and your unsent text, so that the answer begins sooner.</source>
        <translation>模型提前读取对话和您尚未发送的文字，让回答更早开始。</translation>
    </message>
    <message>
        <source>Also on battery</source>
        <translation>使用电池时也预备</translation>
    </message>
    <message>
        <source>Preparing what is then not sent costs energy.</source>
        <translation>预备了却没有发送的内容会白白耗电。</translation>
    </message>
</context>
<context>
    <name>PresetsPage</name>
    <message>
        <source>Presets</source>
        <translation>预设</translation>
    </message>
    <message>
        <source>A preset is chosen for each chat, above the transcript.</source>
        <translation>每个对话可在聊天记录上方选择预设。</translation>
    </message>
    <message>
        <source>System prompt</source>
        <translation>系统提示词</translation>
    </message>
    <message>
        <source>What the model is told before everything else. A chat can have its own instead.</source>
        <translation>最先告诉模型的内容。每个对话可以另设自己的。</translation>
    </message>
    <message>
        <source>Longest answer</source>
        <translation>最长回答</translation>
    </message>
    <message>
        <source> tokens</source>
        <translation> 个 token</translation>
    </message>
    <message>
        <source>Until the model stops</source>
        <translation>直到模型停止</translation>
    </message>
    <message>
        <source>When the context is full</source>
        <translation>上下文已满时</translation>
    </message>
    <message>
        <source>Leave out the oldest turns</source>
        <translation>略去最早的几轮对话</translation>
    </message>
    <message>
        <source>Summarise the oldest turns</source>
        <translation>概括最早的几轮对话</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止生成</translation>
    </message>
    <message>
        <source>New</source>
        <translation>新建</translation>
    </message>
    <message>
        <source>More</source>
        <translation>更多</translation>
    </message>
    <message>
        <source>New preset</source>
        <translation>新建预设</translation>
    </message>
    <message>
        <source>More for the preset</source>
        <translation>预设的更多操作</translation>
    </message>
    <message>
        <source>Preset</source>
        <translation>预设</translation>
    </message>
    <message>
        <source>Rename…</source>
        <translation>重命名…</translation>
    </message>
    <message>
        <source>Duplicate</source>
        <translation>复制一份</translation>
    </message>
    <message>
        <source>Use for new chats</source>
        <translation>用于新对话</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Sampling</source>
        <translation>采样</translation>
    </message>
    <message>
        <source>0 always takes the likeliest token; higher values vary more.</source>
        <translation>0 总是取最可能的 token；值越高变化越多。</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>温度</translation>
    </message>
    <message>
        <source>Draws from the K likeliest tokens only.</source>
        <translation>只从最可能的 K 个 token 中抽取。</translation>
    </message>
    <message>
        <source>Top K</source>
        <translation>Top K</translation>
    </message>
    <message>
        <source>Draws from the likeliest tokens that together reach this probability; 1 draws from all.</source>
        <translation>从累计达到此概率的最可能 token 中抽取；1 表示从全部中抽取。</translation>
    </message>
    <message>
        <source>Top P</source>
        <translation>Top P</translation>
    </message>
    <message>
        <source>Leaves out tokens that are less likely than this share of the likeliest.</source>
        <translation>舍弃概率低于最可能 token 此比例的 token。</translation>
    </message>
    <message>
        <source>Min P</source>
        <translation>Min P</translation>
    </message>
    <message>
        <source>Prefers tokens that are about as surprising as the text on average; 1 is off.</source>
        <translation>偏好与文本平均意外程度相近的 token；1 为关闭。</translation>
    </message>
    <message>
        <source>Typical P</source>
        <translation>Typical P</translation>
    </message>
    <message>
        <source>Against repetition</source>
        <translation>抑制重复</translation>
    </message>
    <message>
        <source>Makes tokens that came lately less likely; 1 is off. It harms code and tables.</source>
        <translation>降低近期出现过的 token 的概率；1 为关闭。会损害代码和表格。</translation>
    </message>
    <message>
        <source>Repeat penalty</source>
        <translation>重复惩罚</translation>
    </message>
    <message>
        <source>Grows with how often a token came; 0 is off.</source>
        <translation>随 token 出现次数增大；0 为关闭。</translation>
    </message>
    <message>
        <source>Frequency penalty</source>
        <translation>频率惩罚</translation>
    </message>
    <message>
        <source>The same for every token that came at all; 0 is off.</source>
        <translation>对出现过的每个 token 相同；0 为关闭。</translation>
    </message>
    <message>
        <source>Presence penalty</source>
        <translation>存在惩罚</translation>
    </message>
    <message>
        <source>How many of the last tokens the penalties look at.</source>
        <translation>惩罚所考察的最近 token 数。</translation>
    </message>
    <message>
        <source>Whole context</source>
        <translation>整个上下文</translation>
    </message>
    <message>
        <source>Penalty window</source>
        <translation>惩罚窗口</translation>
    </message>
    <message>
        <source>Penalises repeated sequences, the longer the more, and leaves single words alone.</source>
        <translation>惩罚重复的序列，越长惩罚越重，不影响单个词。</translation>
    </message>
    <message>
        <source>DRY</source>
        <translation>DRY</translation>
    </message>
    <message>
        <source>Repeats up to this length cost nothing.</source>
        <translation>不超过此长度的重复不受惩罚。</translation>
    </message>
    <message>
        <source>DRY: free length</source>
        <translation>DRY：容许长度</translation>
    </message>
    <message>
        <source>For surprise</source>
        <translation>增加新意</translation>
    </message>
    <message>
        <source>How often the likeliest tokens are left out where several are good: less predictable prose.</source>
        <translation>在多个候选都不错时舍弃最可能 token 的频率：文字更难预料。</translation>
    </message>
    <message>
        <source>XTC</source>
        <translation>XTC</translation>
    </message>
    <message>
        <source>A token counts as good above this probability.</source>
        <translation>高于此概率的 token 视为不错的候选。</translation>
    </message>
    <message>
        <source>XTC: threshold</source>
        <translation>XTC：阈值</translation>
    </message>
    <message>
        <source>Steers the surprise itself in place of the samplers above, and sorts the whole vocabulary for each token.</source>
        <translation>取代上面的采样器直接控制意外程度，每个 token 都要对整个词表排序。</translation>
    </message>
    <message>
        <source>Mirostat</source>
        <translation>Mirostat</translation>
    </message>
    <message>
        <source>The surprise that it aims at, in bits.</source>
        <translation>目标意外程度，以比特计。</translation>
    </message>
    <message>
        <source>Mirostat: surprise</source>
        <translation>Mirostat：意外程度</translation>
    </message>
    <message>
        <source>Rename preset</source>
        <translation>重命名预设</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>重命名</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>{name} · for new chats</source>
        <translation>{name} · 用于新对话</translation>
    </message>
</context>
<context>
    <name>ProgressDialog</name>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>正在停止…</translation>
    </message>
</context>
<context>
    <name>PromptDialog</name>
    <message numerus="yes">
        <source>What the model sees: {n} tokens</source>
        <translation>
            <numerusform>模型看到的内容：{n} 个 token</numerusform>
        </translation>
    </message>
    <message>
        <source>The prompt, exactly as the model gets it</source>
        <translation>模型实际收到的提示词原文</translation>
    </message>
    <message numerus="yes">
        <source>{n} tokens</source>
        <translation>
            <numerusform>{n} 个 token</numerusform>
        </translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>PromptForm</name>
    <message>
        <source>Fill in the prompt</source>
        <translation>填写提示词</translation>
    </message>
    <message>
        <source>Enter goes on, Shift+Enter breaks the line</source>
        <translation>Enter 继续，Shift+Enter 换行</translation>
    </message>
    <message>
        <source>Insert</source>
        <translation>插入</translation>
    </message>
</context>
<context>
    <name>PromptLibrary</name>
    <message>
        <source>Write a prompt…</source>
        <translation>编写提示词…</translation>
    </message>
    <message>
        <source>there are none yet</source>
        <translation>还没有提示词</translation>
    </message>
    <message>
        <source>Prompts</source>
        <translation>提示词</translation>
    </message>
    <message>
        <source>Added to the prompt library. Type / in an empty message to use it.</source>
        <translation>已添加到提示词库。在空消息中输入 / 即可使用。</translation>
    </message>
</context>
<context>
    <name>PromptsPage</name>
    <message>
        <source>Prompts</source>
        <translation>提示词</translation>
    </message>
    <message>
        <source>Type / in an empty message to use one. A name in {{braces}} is a blank that you are asked for.</source>
        <translation>在空消息中输入 / 即可使用。{{花括号}} 中的名称是使用时要填写的空白。</translation>
    </message>
    <message>
        <source>New</source>
        <translation>新建</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Delete the prompt</source>
        <translation>删除提示词</translation>
    </message>
    <message>
        <source>There are none yet. The menu of a message adds its text here, too.</source>
        <translation>还没有提示词。消息的菜单也可以把消息内容添加到这里。</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>内容</translation>
    </message>
    <message>
        <source>Asks for: {names}</source>
        <translation>需填写：{names}</translation>
    </message>
    <message>
        <source>New prompt</source>
        <translation>新提示词</translation>
    </message>
</context>
<context>
    <name>QAbstractFileIconProvider</name>
    <message>
        <source>Folder</source>
        <translation>文件夹</translation>
    </message>
</context>
<context>
    <name>QFileDialog</name>
    <message>
        <source>&amp;Look in:</source>
        <translation>查找范围：</translation>
    </message>
    <message>
        <source>Files of &amp;type:</source>
        <translation>文件类型：</translation>
    </message>
</context>
<context>
    <name>QFileSystemModel</name>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
</context>
<context>
    <name>QLineEdit</name>
    <message>
        <source>&amp;Undo</source>
        <translation>撤销(&amp;U)</translation>
    </message>
</context>
<context>
    <name>QShortcut</name>
    <message>
        <source>Enter</source>
        <translation>Enter</translation>
    </message>
</context>
<context>
    <name>QWidgetTextControl</name>
    <message>
        <source>&amp;Undo</source>
        <translation>撤销(&amp;U)</translation>
    </message>
</context>
<context>
    <name>QuantizationModel</name>
    <message>
        <source>Quantization</source>
        <translation>量化</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Bits</source>
        <translation>位数</translation>
    </message>
    <message>
        <source>Keeps</source>
        <translation>质量</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>速度</translation>
    </message>
    <message>
        <source>Action</source>
        <translation>操作</translation>
    </message>
    <message>
        <source>the original</source>
        <translation>原始精度</translation>
    </message>
    <message>
        <source>as good as the original</source>
        <translation>与原模型一样好</translation>
    </message>
    <message>
        <source>hard to tell apart</source>
        <translation>几乎看不出差别</translation>
    </message>
    <message>
        <source>close to the original</source>
        <translation>接近原模型</translation>
    </message>
    <message>
        <source>noticeable loss</source>
        <translation>有可察觉的损失</translation>
    </message>
    <message>
        <source>heavy loss</source>
        <translation>损失严重</translation>
    </message>
    <message>
        <source>{need} · fits</source>
        <translation>{need} · 放得下</translation>
    </message>
    <message>
        <source>{need} · fits, little room</source>
        <translation>{need} · 放得下，余量很小</translation>
    </message>
    <message numerus="yes">
        <source>{need} · experts of {n} layers on the CPU</source>
        <translation>
            <numerusform>{need} · {n} 层的专家在 CPU 上</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{need} · fits with {layers} of {all} layers</source>
        <translation>
            <numerusform>{need} · 放得下 {layers} / {all} 层</numerusform>
        </translation>
    </message>
    <message>
        <source>{need} · CPU only</source>
        <translation>{need} · 仅 CPU</translation>
    </message>
    <message>
        <source>{need} · does not fit</source>
        <translation>{need} · 放不下</translation>
    </message>
    <message>
        <source>{name} recommended</source>
        <translation>{name} 推荐</translation>
    </message>
    <message>
        <source>{rate} expected, {off}</source>
        <translation>预计 {rate}，{off}</translation>
    </message>
    <message>
        <source>paused at {share}</source>
        <translation>已暂停于 {share}</translation>
    </message>
    <message>
        <source>measured here; {rate} tok/s had been expected, {off}</source>
        <translation>本机实测；原推算 {rate} tok/s，{off}</translation>
    </message>
    <message>
        <source>TTFT {time}</source>
        <translation>TTFT {time}</translation>
    </message>
    <message>
        <source>{rate} tok/s</source>
        <translation>{rate} tok/s</translation>
    </message>
    <message>
        <source>≈ {rate} tok/s</source>
        <translation>≈ {rate} tok/s</translation>
    </message>
    <message>
        <source>On this computer</source>
        <translation>本机</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>下载</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>expected from this machine&apos;s measured bandwidth</source>
        <translation>由本机实测带宽推算</translation>
    </message>
    <message>
        <source>measured here</source>
        <translation>本机实测</translation>
    </message>
    <message>
        <source>Weights {weights}, KV cache {kv}, compute buffers {compute}</source>
        <translation>权重 {weights}，KV 缓存 {kv}，计算缓冲 {compute}</translation>
    </message>
    <message>
        <source>First token of a 1,000-token prompt after {ttft}; {kind}.</source>
        <translation>1,000 个 token 的提示词在 {ttft}后出首个 token；{kind}。</translation>
    </message>
</context>
<context>
    <name>QuantizationTable</name>
    <message>
        <source>Quantizations</source>
        <translation>量化版本</translation>
    </message>
</context>
<context>
    <name>QuantizeDialog</name>
    <message>
        <source>Make another quantization</source>
        <translation>制作另一种量化</translation>
    </message>
    <message>
        <source>Types</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>{name} stays as it is; the new file goes to Firstlight&apos;s models, folder made-here.</source>
        <translation>{name} 保持不变；新文件存放在 Firstlight 模型目录的 made-here 文件夹中。</translation>
    </message>
    <message>
        <source>{name} is {kind} already. Another quantization of it loses twice: its F16 is the better source.</source>
        <translation>{name} 已是 {kind}，再次量化会造成二次损失：最好以其 F16 制作。</translation>
    </message>
    <message>
        <source>Make it all the same</source>
        <translation>仍然制作</translation>
    </message>
    <message>
        <source>Made without statistics of the model&apos;s activations. Types that need them are left out; a file from the hub that was made with them keeps a little more at 4 bits and below.</source>
        <translation>制作时不使用模型的激活统计，需要这些统计的类型未列出；在 4 位及以下，模型库中利用统计制作的文件质量会略高一些。</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>进度</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Make it</source>
        <translation>制作</translation>
    </message>
    <message>
        <source>{share} done</source>
        <translation>已完成 {share}</translation>
    </message>
    <message>
        <source>Ready: {size}, {mix}.</source>
        <translation>完成：{size}，{mix}。</translation>
    </message>
    <message>
        <source>Stopped. Nothing was kept.</source>
        <translation>已停止，未保留任何内容。</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>about {size}</source>
        <translation>约 {size}</translation>
    </message>
</context>
<context>
    <name>RangeMap</name>
    <message>
        <source>The part of the text that is attached</source>
        <translation>要附上的文本部分</translation>
    </message>
</context>
<context>
    <name>ReadingChip</name>
    <message>
        <source>Stop reading {name}</source>
        <translation>停止读取 {name}</translation>
    </message>
    <message>
        <source>reading…</source>
        <translation>正在读取…</translation>
    </message>
    <message>
        <source>page {n} of {total}</source>
        <translation>第 {n} 页，共 {total} 页</translation>
    </message>
</context>
<context>
    <name>SearchFilters</name>
    <message>
        <source>Order</source>
        <translation>排序</translation>
    </message>
    <message>
        <source>Trending</source>
        <translation>热门</translation>
    </message>
    <message>
        <source>Popular</source>
        <translation>下载最多</translation>
    </message>
    <message>
        <source>Most liked</source>
        <translation>最受喜爱</translation>
    </message>
    <message>
        <source>Latest</source>
        <translation>最新</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Any size</source>
        <translation>任意大小</translation>
    </message>
    <message>
        <source>Up to 3 B</source>
        <translation>3 B 以内</translation>
    </message>
    <message>
        <source>3 to 9 B</source>
        <translation>3–9 B</translation>
    </message>
    <message>
        <source>9 to 20 B</source>
        <translation>9–20 B</translation>
    </message>
    <message>
        <source>Over 20 B</source>
        <translation>20 B 以上</translation>
    </message>
    <message>
        <source>Licence</source>
        <translation>许可证</translation>
    </message>
    <message>
        <source>Any licence</source>
        <translation>任意许可证</translation>
    </message>
</context>
<context>
    <name>SettingsController</name>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Chats</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Figures</source>
        <translation>指标</translation>
    </message>
    <message>
        <source>Snapshots</source>
        <translation>快照</translation>
    </message>
    <message>
        <source>Logs</source>
        <translation>日志</translation>
    </message>
    <message>
        <source>The token is kept in the system&apos;s keyring.</source>
        <translation>令牌已保存在系统的密钥环中。</translation>
    </message>
    <message>
        <source>The token is forgotten.</source>
        <translation>令牌已清除。</translation>
    </message>
    <message>
        <source>Back up the chats</source>
        <translation>备份对话</translation>
    </message>
    <message>
        <source>The chats were backed up to {file}.</source>
        <translation>对话已备份到 {file}。</translation>
    </message>
    <message>
        <source>Save diagnostics</source>
        <translation>保存诊断</translation>
    </message>
    <message>
        <source>The diagnostics were saved to {file}.</source>
        <translation>诊断已保存到 {file}。</translation>
    </message>
</context>
<context>
    <name>SettingsDialog</name>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Pages</source>
        <translation>页面</translation>
    </message>
</context>
<context>
    <name>SettingsPage</name>
    <message>
        <source>Reset</source>
        <translation>重置</translation>
    </message>
    <message>
        <source>Reset this page</source>
        <translation>重置此页</translation>
    </message>
    <message>
        <source>Bring the defaults of this page back</source>
        <translation>恢复此页的默认值</translation>
    </message>
    <message>
        <source>in force: {value}</source>
        <translation>实际：{value}</translation>
    </message>
</context>
<context>
    <name>ShareList</name>
    <message>
        <source>Share of {device}</source>
        <translation>{device} 的份额</translation>
    </message>
    <message>
        <source> %</source>
        <translation>%</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>自动</translation>
    </message>
</context>
<context>
    <name>ShortcutsPage</name>
    <message>
        <source>Shortcuts</source>
        <translation>快捷键</translation>
    </message>
    <message>
        <source>Click a field and press the keys. Backspace switches a key off.</source>
        <translation>点击输入框并按下按键。退格键可取消快捷键。</translation>
    </message>
    <message>
        <source>None</source>
        <translation>无</translation>
    </message>
    <message>
        <source>No key for “{command}”</source>
        <translation>清除“{command}”的快捷键</translation>
    </message>
    <message>
        <source>Default</source>
        <translation>默认</translation>
    </message>
    <message>
        <source>Default key for “{command}”</source>
        <translation>“{command}”的默认快捷键</translation>
    </message>
    <message>
        <source>{key} belongs to “{command}”. Choose another, or change that one first.</source>
        <translation>{key} 已用于“{command}”。请另选一个，或先修改那一个。</translation>
    </message>
</context>
<context>
    <name>Sidebar</name>
    <message>
        <source>New chat</source>
        <translation>新对话</translation>
    </message>
    <message>
        <source>Search all chats</source>
        <translation>搜索所有对话</translation>
    </message>
    <message>
        <source>Clear the search</source>
        <translation>清除搜索</translation>
    </message>
    <message>
        <source>Chats</source>
        <translation>对话</translation>
    </message>
    <message numerus="yes">
        <source>{n} chats</source>
        <translation>
            <numerusform>{n} 个对话</numerusform>
        </translation>
    </message>
    <message>
        <source>Unarchive</source>
        <translation>取消归档</translation>
    </message>
    <message>
        <source>{n} found</source>
        <translation>找到 {n} 条</translation>
    </message>
    <message>
        <source>Nothing found.</source>
        <translation>没有找到结果。</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Rename…</source>
        <translation>重命名…</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>取消置顶</translation>
    </message>
    <message>
        <source>Pin</source>
        <translation>置顶</translation>
    </message>
    <message>
        <source>Move to folder</source>
        <translation>移到文件夹</translation>
    </message>
    <message>
        <source>New folder…</source>
        <translation>新建文件夹…</translation>
    </message>
    <message>
        <source>No folder</source>
        <translation>不放入文件夹</translation>
    </message>
    <message>
        <source>Duplicate</source>
        <translation>复制一份</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>导出…</translation>
    </message>
    <message>
        <source>Archive</source>
        <translation>归档</translation>
    </message>
    <message>
        <source>Back to the chats</source>
        <translation>返回对话列表</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Archived chats</source>
        <translation>已归档的对话</translation>
    </message>
    <message>
        <source>Delete the folder, keep its chats</source>
        <translation>删除文件夹，保留对话</translation>
    </message>
    <message>
        <source>No chat is archived. Choose Archive in a chat&apos;s menu to keep it here, out of the list.</source>
        <translation>还没有归档的对话。在对话的菜单中选择“归档”，它就会移出列表、保存在这里。</translation>
    </message>
    <message>
        <source>No chats yet. What you write is kept here.</source>
        <translation>还没有对话。您写下的内容会保存在这里。</translation>
    </message>
    <message>
        <source>Import chats…</source>
        <translation>导入对话…</translation>
    </message>
</context>
<context>
    <name>SpellingController</name>
    <message>
        <source>Add to the dictionary</source>
        <translation>添加到词典</translation>
    </message>
</context>
<context>
    <name>StripFigure</name>
    <message>
        <source>notice</source>
        <translation>提示</translation>
    </message>
    <message>
        <source>warning</source>
        <translation>警告</translation>
    </message>
</context>
<context>
    <name>TemporaryModel</name>
    <message>
        <source>Go on with {name}</source>
        <translation>用 {name} 继续</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
</context>
<context>
    <name>TextDialog</name>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
</context>
<context>
    <name>TextList</name>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Remove from: {list}</source>
        <translation>移除：{list}</translation>
    </message>
</context>
<context>
    <name>ThresholdsPage</name>
    <message>
        <source>Latency</source>
        <translation>延迟</translation>
    </message>
    <message>
        <source>Figures turn to the colour of a notice or a warning above these values.</source>
        <translation>超过这些值时，数字会变为提示或警告的颜色。</translation>
    </message>
    <message>
        <source>Notice above</source>
        <translation>超过则提示</translation>
    </message>
    <message>
        <source>Warning above</source>
        <translation>超过则警告</translation>
    </message>
    <message>
        <source>Time to first token</source>
        <translation>首 token 时间</translation>
    </message>
    <message>
        <source>After about a second the thread of thought is lost.</source>
        <translation>大约一秒后，思路就会中断。</translation>
    </message>
    <message>
        <source>P99: notice above</source>
        <translation>P99：超过则提示</translation>
    </message>
    <message>
        <source>P99: warning above</source>
        <translation>P99：超过则警告</translation>
    </message>
    <message>
        <source>Between tokens</source>
        <translation>token 间隔</translation>
    </message>
    <message>
        <source>Below 50 ms the text flows.</source>
        <translation>低于 50 毫秒时文字流畅。</translation>
    </message>
    <message>
        <source>Halting above</source>
        <translation>超过则视为卡顿</translation>
    </message>
    <message>
        <source>Whole answers</source>
        <translation>整个回答</translation>
    </message>
    <message>
        <source>P95: warning above</source>
        <translation>P95：超过则警告</translation>
    </message>
    <message>
        <source>Waiting: warning above</source>
        <translation>等待：超过则警告</translation>
    </message>
    <message>
        <source>Failed answers: above</source>
        <translation>失败回答：超过</translation>
    </message>
    <message>
        <source>GPU</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>Idle below</source>
        <translation>空闲：低于</translation>
    </message>
    <message>
        <source>for longer than</source>
        <translation>持续超过</translation>
    </message>
    <message>
        <source>Busy above</source>
        <translation>繁忙：高于</translation>
    </message>
    <message>
        <source>Memory above</source>
        <translation>显存：高于</translation>
    </message>
    <message>
        <source> ms</source>
        <translation> 毫秒</translation>
    </message>
    <message>
        <source> s</source>
        <translation> 秒</translation>
    </message>
    <message>
        <source> %</source>
        <translation>%</translation>
    </message>
</context>
<context>
    <name>ThroughputCard</name>
    <message>
        <source>Tokens a second</source>
        <translation>每秒 token 数</translation>
    </message>
    <message>
        <source>5 minutes ago</source>
        <translation>5 分钟前</translation>
    </message>
    <message>
        <source>now</source>
        <translation>现在</translation>
    </message>
    <message>
        <source>{now} · peak {most}</source>
        <translation>{now} · 峰值 {most}</translation>
    </message>
    <message>
        <source>Summed over all answers that run: now, and the most in these minutes.</source>
        <translation>所有正在进行的回答之和：当前值，以及这几分钟内的最大值。</translation>
    </message>
</context>
<context>
    <name>Timeline</name>
    <message>
        <source>no values yet</source>
        <translation>暂无数据</translation>
    </message>
    <message numerus="yes">
        <source>{n} values from {low} to {high}, the latest {last}</source>
        <translation>
            <numerusform>{n} 个数值，从 {low} 到 {high}，最新为 {last}</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>TopBar</name>
    <message>
        <source>Stop loading</source>
        <translation>停止加载</translation>
    </message>
    <message>
        <source>Show or hide the chats</source>
        <translation>显示或隐藏对话列表</translation>
    </message>
    <message>
        <source>Show or hide the latency panel</source>
        <translation>显示或隐藏延迟面板</translation>
    </message>
    <message>
        <source>Preset</source>
        <translation>预设</translation>
    </message>
    <message>
        <source>More</source>
        <translation>更多</translation>
    </message>
    <message numerus="yes">
        <source>{used} of {all} layers on {device}</source>
        <translation>
            <numerusform>{used} / {all} 层在 {device} 上</numerusform>
        </translation>
    </message>
    <message>
        <source>{layers}, experts of {n} on the CPU</source>
        <translation>{layers}，{n} 层的专家在 CPU 上</translation>
    </message>
    <message numerus="yes">
        <source>on the CPU, {n} threads</source>
        <translation>
            <numerusform>在 CPU 上，{n} 线程</numerusform>
        </translation>
    </message>
    <message>
        <source>Preset: {name}</source>
        <translation>预设：{name}</translation>
    </message>
</context>
<context>
    <name>TrialPane</name>
    <message>
        <source>Try it</source>
        <translation>试一试</translation>
    </message>
    <message>
        <source>Explain in a few sentences how a lighthouse works.</source>
        <translation>用几句话解释灯塔的工作原理。</translation>
    </message>
    <message>
        <source>Prompt to try</source>
        <translation>试用的提示词</translation>
    </message>
    <message>
        <source>Settings of side A</source>
        <translation>A 组的设置</translation>
    </message>
    <message>
        <source>Settings of side B</source>
        <translation>B 组的设置</translation>
    </message>
    <message>
        <source> runs each</source>
        <translation> 次/组</translation>
    </message>
    <message>
        <source>Runs on each side</source>
        <translation>每组次数</translation>
    </message>
    <message>
        <source>Try</source>
        <translation>试验</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>进度</translation>
    </message>
    <message>
        <source>The sides take turns, each run reads the prompt anew. The model is loaded again for each turn.</source>
        <translation>两组交替进行，每次都重新读取提示词。每轮都会重新加载模型。</translation>
    </message>
    <message>
        <source>Run {n} of {total}</source>
        <translation>第 {n} / {total} 次</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Choose two different settings.</source>
        <translation>请选择两种不同的设置。</translation>
    </message>
</context>
<context>
    <name>TtftCard</name>
    <message>
        <source>Time to first token</source>
        <translation>首 token 时间</translation>
    </message>
    <message>
        <source>queue</source>
        <translation>排队</translation>
    </message>
    <message>
        <source>waiting for other answers</source>
        <translation>等待其他回答</translation>
    </message>
    <message>
        <source>load</source>
        <translation>加载</translation>
    </message>
    <message>
        <source>loading the model, which was not warm</source>
        <translation>加载尚未就绪的模型</translation>
    </message>
    <message>
        <source>template</source>
        <translation>模板</translation>
    </message>
    <message>
        <source>chat template and tokenization</source>
        <translation>聊天模板与分词</translation>
    </message>
    <message>
        <source>cache</source>
        <translation>缓存</translation>
    </message>
    <message>
        <source>restoring a KV snapshot</source>
        <translation>恢复 KV 快照</translation>
    </message>
    <message numerus="yes">
        <source>prefill {n} tokens</source>
        <translation>
            <numerusform>预填充 {n} 个 token</numerusform>
        </translation>
    </message>
    <message>
        <source>reading what was not cached, up to the first token</source>
        <translation>读取未缓存的内容，直到首个 token</translation>
    </message>
    <message>
        <source>paint</source>
        <translation>上屏</translation>
    </message>
    <message>
        <source>From Enter to the first painted letter. A server&apos;s TTFT ends before the painting.</source>
        <translation>从按下 Enter 到屏幕上出现第一个字。服务器的 TTFT 不含绘制。</translation>
    </message>
    <message>
        <source>{name}: {meaning}, {time}</source>
        <translation>{name}：{meaning}，{time}</translation>
    </message>
    <message>
        <source>from Enter to the engine, and from the first token to the screen</source>
        <translation>从按下 Enter 到引擎，以及从首个 token 到屏幕</translation>
    </message>
</context>
<context>
    <name>UndoLine</name>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>“{name}” was deleted.</source>
        <translation>已删除“{name}”。</translation>
    </message>
</context>
<context>
    <name>Welcome</name>
    <message>
        <source>What would you like to know?</source>
        <translation>想了解些什么？</translation>
    </message>
    <message>
        <source>Explain something</source>
        <translation>解释概念</translation>
    </message>
    <message>
        <source>Explain how a KV cache makes a language model faster.</source>
        <translation>解释 KV 缓存如何让语言模型更快。</translation>
    </message>
    <message>
        <source>Write a letter</source>
        <translation>写一封信</translation>
    </message>
    <message>
        <source>Write a short letter to my landlord about a broken heater.</source>
        <translation>给房东写一封短信，说明暖气坏了。</translation>
    </message>
    <message>
        <source>Write code</source>
        <translation>写代码</translation>
    </message>
    <message>
        <source>Write a Python function that finds ISO dates in a text.</source>
        <translation>写一个在文本中查找 ISO 日期的 Python 函数。</translation>
    </message>
    <message>
        <source>Choose a model</source>
        <translation>选择模型</translation>
    </message>
    <message>
        <source>Recommended model</source>
        <translation>推荐模型</translation>
    </message>
    <message>
        <source>Recommended here: {name}, {size}</source>
        <translation>为本机推荐：{name}，{size}</translation>
    </message>
    <message>
        <source>{name} is being loaded. You can write already.</source>
        <translation>正在加载 {name}。您可以先开始输入。</translation>
    </message>
    <message>
        <source>{name} ({size}) answers {where}. Nothing leaves it.</source>
        <translation>{name}（{size}）{where}回答，内容不会离开本机。</translation>
    </message>
    <message>
        <source>on this computer</source>
        <translation>在本机</translation>
    </message>
    <message>
        <source>{name} answers {where}. Nothing leaves it.</source>
        <translation>{name} {where}回答，内容不会离开本机。</translation>
    </message>
    <message>
        <source>No model is loaded yet.</source>
        <translation>尚未加载模型。</translation>
    </message>
    <message>
        <source>No model is loaded.</source>
        <translation>当前没有加载模型。</translation>
    </message>
</context>
<context>
    <name>WhyCard</name>
    <message>
        <source>Why was the answer at {time} slow?</source>
        <translation>{time} 的回答为什么慢？</translation>
    </message>
    <message>
        <source>The answer at {time} was not slow</source>
        <translation>{time} 的回答并不慢</translation>
    </message>
    <message>
        <source>All its figures are within your thresholds.</source>
        <translation>各项指标都在您的阈值之内。</translation>
    </message>
</context>
<context>
    <name>WhySlowController</name>
    <message>
        <source>{name} wrote this answer. Choose it as the model first: this changes how it is loaded.</source>
        <translation>此回答由 {name} 生成。请先将其选为当前模型：此操作会更改它的加载方式。</translation>
    </message>
    <message>
        <source>{change}: the model loads again with it. The next answer shows what it brings.</source>
        <translation>{change}：模型将以此重新加载，下一次回答会显示效果。</translation>
    </message>
    <message>
        <source>The model stays loaded, and is loaded at each start.</source>
        <translation>模型将保持加载，并在每次启动时加载。</translation>
    </message>
    <message>
        <source>Old turns of this chat are summarised once the context runs short.</source>
        <translation>上下文不足时，会将此对话中较早的内容概括为摘要。</translation>
    </message>
    <message>
        <source>Only what begins exactly as before is read from the cache. The system prompt, the template&apos;s options and old messages count: go back to the version before the edit, or leave them as they are.</source>
        <translation>只有开头完全一致的内容才能从缓存读取。系统提示词、模板选项和旧消息都算在内：请回到修改前的版本，或保持它们不变。</translation>
    </message>
    <message>
        <source>Please report it: Settings, About saves diagnostics, without any text of your chats.</source>
        <translation>请报告此问题：“设置”的“关于”页可保存诊断文件，其中不含任何聊天内容。</translation>
    </message>
</context>
<context>
    <name>_Delegate</name>
    <message>
        <source>recommended</source>
        <translation>推荐</translation>
    </message>
</context>
<context>
    <name>attachments</name>
    <message>
        <source>{name} is not a file.</source>
        <translation>{name} 不是文件。</translation>
    </message>
    <message>
        <source>Attach the files in it one by one.</source>
        <translation>请逐个附上其中的文件。</translation>
    </message>
    <message>
        <source>{name} has {size} MB; at most {limit} MB can be attached.</source>
        <translation>{name} 有 {size} MB；最多可附上 {limit} MB。</translation>
    </message>
    <message>
        <source>Attach the part of it that matters.</source>
        <translation>请只附上其中重要的部分。</translation>
    </message>
    <message>
        <source>{name} is not a text file, so the model cannot read it.</source>
        <translation>{name} 不是文本文件，模型无法读取。</translation>
    </message>
    <message>
        <source>Text, source code, PDF and Word files (.docx) can be read.</source>
        <translation>可以读取文本、源代码、PDF 和 Word 文件（.docx）。</translation>
    </message>
    <message>
        <source>{name} could not be read ({reason}).</source>
        <translation>无法读取 {name}（{reason}）。</translation>
    </message>
    <message>
        <source>Check that it still exists and that you may read it.</source>
        <translation>请确认它仍然存在，并且您有权读取。</translation>
    </message>
    <message>
        <source>The program that reads documents could not be started.</source>
        <translation>无法启动读取文档的程序。</translation>
    </message>
    <message>
        <source>{name} is damaged and cannot be read.</source>
        <translation>{name} 已损坏，无法读取。</translation>
    </message>
    <message>
        <source>Open it in its own program and save it anew.</source>
        <translation>请用其原本的程序打开并重新保存。</translation>
    </message>
    <message>
        <source>{name} is protected with a password.</source>
        <translation>{name} 受密码保护。</translation>
    </message>
    <message>
        <source>Save a copy without the password, and attach that.</source>
        <translation>请另存一份没有密码的副本再附上。</translation>
    </message>
    <message>
        <source>{name} is in Word&apos;s old format.</source>
        <translation>{name} 是旧版 Word 格式。</translation>
    </message>
    <message>
        <source>Save it as .docx, and attach that.</source>
        <translation>请另存为 .docx 再附上。</translation>
    </message>
    <message>
        <source>{name} holds no text, only pictures of pages or nothing.</source>
        <translation>{name} 没有文字，只有页面图片或为空。</translation>
    </message>
    <message>
        <source>Run a text recognition (OCR) over it first, and attach its result.</source>
        <translation>请先进行文字识别（OCR），再附上其结果。</translation>
    </message>
    <message>
        <source>{name} is too large to be read.</source>
        <translation>{name} 太大，无法读取。</translation>
    </message>
    <message>
        <source>Attach the pages of it that matter.</source>
        <translation>请只附上其中重要的页。</translation>
    </message>
    <message>
        <source>Reading {name} took too long and was ended.</source>
        <translation>读取 {name} 用时过长，已终止。</translation>
    </message>
    <message>
        <source>Attach the pages of it that matter, or save it anew.</source>
        <translation>请只附上重要的页，或重新保存该文件。</translation>
    </message>
</context>
<context>
    <name>build reason</name>
    <message>
        <source>it was asked for</source>
        <translation>按要求选择</translation>
    </message>
    <message>
        <source>no GPU was found</source>
        <translation>没有找到 GPU</translation>
    </message>
    <message>
        <source>llama-cpp-python was installed without Firstlight&apos;s set-up</source>
        <translation>llama-cpp-python 不是由 Firstlight 的安装程序装上的</translation>
    </message>
    <message>
        <source>this is a Mac, whose GPU is reached through Metal</source>
        <translation>这是 Mac，其 GPU 通过 Metal 使用</translation>
    </message>
    <message>
        <source>found {cards} with NVIDIA&apos;s driver</source>
        <translation>找到带 NVIDIA 驱动的 {cards}</translation>
    </message>
    <message>
        <source>found a GPU by {cards}, which has no NVIDIA driver here; it is reached through Vulkan</source>
        <translation>找到 {cards} 的 GPU，这里没有 NVIDIA 驱动；通过 Vulkan 使用</translation>
    </message>
    <message>
        <source>found a GPU by {cards}; it is reached through Vulkan</source>
        <translation>找到 {cards} 的 GPU；通过 Vulkan 使用</translation>
    </message>
    <message>
        <source>{reason}; the {build} build failed</source>
        <translation>{reason}；{build} 构建失败</translation>
    </message>
    <message>
        <source>{reason}; the {build} build waits for its driver</source>
        <translation>{reason}；{build} 构建等待驱动程序</translation>
    </message>
    <message>
        <source>an NVIDIA card</source>
        <translation>一张 NVIDIA 显卡</translation>
    </message>
    <message>
        <source>{first} and {second}</source>
        <translation>{first} 和 {second}</translation>
    </message>
</context>
<context>
    <name>catalog</name>
    <message>
        <source>code</source>
        <translation>代码</translation>
    </message>
    <message>
        <source>everyday answers</source>
        <translation>日常问答</translation>
    </message>
    <message>
        <source>knowledge</source>
        <translation>知识</translation>
    </message>
    <message>
        <source>long texts</source>
        <translation>长文本</translation>
    </message>
    <message>
        <source>instructions</source>
        <translation>遵循指令</translation>
    </message>
    <message>
        <source>languages</source>
        <translation>多语言</translation>
    </message>
    <message>
        <source>mathematics</source>
        <translation>数学</translation>
    </message>
    <message>
        <source>quick drafts</source>
        <translation>快速草稿</translation>
    </message>
    <message>
        <source>reasoning</source>
        <translation>推理</translation>
    </message>
    <message>
        <source>rewriting</source>
        <translation>改写</translation>
    </message>
    <message>
        <source>science</source>
        <translation>科学</translation>
    </message>
    <message>
        <source>short answers in English</source>
        <translation>英文短答</translation>
    </message>
    <message>
        <source>speed for its size</source>
        <translation>同规模中速度快</translation>
    </message>
    <message>
        <source>summaries</source>
        <translation>摘要</translation>
    </message>
    <message>
        <source>can think</source>
        <translation>可思考</translation>
    </message>
    <message>
        <source>writing</source>
        <translation>写作</translation>
    </message>
    <message>
        <source>your entry</source>
        <translation>您的条目</translation>
    </message>
    <message>
        <source>recommended</source>
        <translation>推荐</translation>
    </message>
    <message>
        <source>too large here</source>
        <translation>超出本机容量</translation>
    </message>
</context>
<context>
    <name>command words</name>
    <message>
        <source>start conversation</source>
        <translation>新建 开始 会话 new chat</translation>
    </message>
    <message>
        <source>cancel abort interrupt</source>
        <translation>取消 中止 打断 stop cancel</translation>
    </message>
    <message>
        <source>retry redo again</source>
        <translation>重试 重新回答 retry</translation>
    </message>
    <message>
        <source>retry compare</source>
        <translation>重试 比较 换模型 retry model</translation>
    </message>
    <message>
        <source>clipboard</source>
        <translation>剪贴板 拷贝 copy</translation>
    </message>
    <message>
        <source>insert note</source>
        <translation>插入 备注</translation>
    </message>
    <message>
        <source>insert prefill</source>
        <translation>插入 预填</translation>
    </message>
    <message>
        <source>raw template context tokens</source>
        <translation>原文 模板 上下文 token prompt</translation>
    </message>
    <message>
        <source>instructions persona role</source>
        <translation>指令 角色 人设 system prompt</translation>
    </message>
    <message>
        <source>math equations</source>
        <translation>数学 方程 LaTeX math</translation>
    </message>
    <message>
        <source>title name</source>
        <translation>标题 名称 改名 rename</translation>
    </message>
    <message>
        <source>save Markdown HTML PDF JSON file</source>
        <translation>保存 文件 export Markdown HTML PDF JSON</translation>
    </message>
    <message>
        <source>copy branch fork clone</source>
        <translation>拷贝 分支 副本 copy</translation>
    </message>
    <message>
        <source>hide put away</source>
        <translation>隐藏 收起 archive</translation>
    </message>
    <message>
        <source>remove trash</source>
        <translation>移除 删掉 回收站 delete</translation>
    </message>
    <message>
        <source>search</source>
        <translation>搜索 查找 search find</translation>
    </message>
    <message>
        <source>find history</source>
        <translation>查找 历史 search</translation>
    </message>
    <message>
        <source>hidden history</source>
        <translation>隐藏 历史 archive</translation>
    </message>
    <message>
        <source>save backup all Markdown HTML PDF JSON</source>
        <translation>保存 备份 全部 export backup Markdown HTML PDF JSON</translation>
    </message>
    <message>
        <source>ChatGPT Claude LM Studio Jan Open WebUI SillyTavern file</source>
        <translation>文件 import ChatGPT Claude LM Studio Jan Open WebUI SillyTavern</translation>
    </message>
    <message>
        <source>keys hotkeys help</source>
        <translation>按键 热键 帮助 keys help</translation>
    </message>
    <message>
        <source>switch load change LLM</source>
        <translation>切换 加载 更换 model</translation>
    </message>
    <message>
        <source>download library hub delete quantization GGUF</source>
        <translation>下载 模型库 删除 量化 hub GGUF download</translation>
    </message>
    <message>
        <source>eject free memory VRAM</source>
        <translation>释放 弹出 内存 显存 VRAM unload</translation>
    </message>
    <message>
        <source>settings GPU layers offload devices KV cache context length threads flash attention speculative</source>
        <translation>设置 GPU 显卡 层 KV 缓存 上下文 长度 线程 设备 投机 flash attention</translation>
    </message>
    <message>
        <source>preferences options language font</source>
        <translation>偏好 选项 语言 字体 settings</translation>
    </message>
    <message>
        <source>metrics statistics performance speed TTFT GPU memory</source>
        <translation>指标 统计 性能 速度 TTFT GPU 内存</translation>
    </message>
    <message>
        <source>panel history</source>
        <translation>侧栏 列表 历史</translation>
    </message>
    <message>
        <source>switch down</source>
        <translation>切换 下一个</translation>
    </message>
    <message>
        <source>switch up</source>
        <translation>切换 上一个</translation>
    </message>
    <message>
        <source>zoom in bigger font size</source>
        <translation>缩放 放大 字体 字号 zoom</translation>
    </message>
    <message>
        <source>zoom out font size</source>
        <translation>缩放 缩小 字体 字号 zoom</translation>
    </message>
    <message>
        <source>zoom 100 % font</source>
        <translation>缩放 复原 字号 100 % zoom</translation>
    </message>
    <message>
        <source>theme appearance automatic mode</source>
        <translation>主题 外观 自动 theme</translation>
    </message>
    <message>
        <source>theme appearance day bright mode</source>
        <translation>主题 外观 白天 亮色 theme light</translation>
    </message>
    <message>
        <source>theme appearance night mode</source>
        <translation>主题 外观 夜间 暗色 深色模式 theme dark mode</translation>
    </message>
    <message>
        <source>theme appearance accessibility black mode</source>
        <translation>主题 外观 无障碍 高对比 黑色 theme contrast</translation>
    </message>
    <message>
        <source>focus input composer</source>
        <translation>输入 光标 输入框</translation>
    </message>
    <message>
        <source>exit close</source>
        <translation>关闭 退出 exit</translation>
    </message>
</context>
<context>
    <name>diagnosis</name>
    <message>
        <source>TTFT {ttft}: {load} of it loading the model.</source>
        <translation>TTFT {ttft}：其中 {load}用于加载模型。</translation>
    </message>
    <message>
        <source>TTFT {ttft}: {queued} of it waiting for other answers.</source>
        <translation>TTFT {ttft}：其中 {queued}在等待其他回答。</translation>
    </message>
    <message numerus="yes">
        <source>TTFT {ttft}: {share} of it prefill of {new} tokens. {reason}</source>
        <translation>
            <numerusform>TTFT {ttft}：其中 {share} 为预填充 {new} 个 token。{reason}</numerusform>
        </translation>
    </message>
    <message>
        <source>TTFT {ttft}: prefill at {rate} tok/s where {best} were reached here; {why}.</source>
        <translation>TTFT {ttft}：预填充速度 {rate} tok/s，而本机曾达到 {best}；{why}。</translation>
    </message>
    <message numerus="yes">
        <source>TTFT {ttft}: {share} of it prefill of {new} new tokens.</source>
        <translation>
            <numerusform>TTFT {ttft}：其中 {share} 为 {new} 个新 token 的预填充。</numerusform>
        </translation>
    </message>
    <message>
        <source>{change}: {name} {before} → {after}, faster.</source>
        <translation>{change}：{name} {before} → {after}，变快了。</translation>
    </message>
    <message>
        <source>{change}: {name} {before} → {after}, slower. Settings, Loading takes it back.</source>
        <translation>{change}：{name} {before} → {after}，变慢了。可在“设置”的“加载”页改回。</translation>
    </message>
    <message>
        <source>{change}: {name} {before} → {after}, no real difference.</source>
        <translation>{change}：{name} {before} → {after}，没有明显差别。</translation>
    </message>
    <message>
        <source>The engine had the first token after {ttft}, it was on the screen after {perceived}: {why}.</source>
        <translation>引擎在 {ttft}后得到首个 token，{perceived}后才显示在屏幕上：{why}。</translation>
    </message>
    <message>
        <source>ITL P99 {p99} against a P50 of {p50}: {why}.</source>
        <translation>ITL P99 为 {p99}，而 P50 为 {p50}：{why}。</translation>
    </message>
    <message>
        <source>ITL grew from {first} to {last} with the context: {kv} of KV cache to read.</source>
        <translation>ITL 随上下文从 {first}增至 {last}：需读取 {kv} 的 KV 缓存。</translation>
    </message>
    <message>
        <source>ITL {itl} is this machine&apos;s limit: {mbu} of its memory bandwidth is used.</source>
        <translation>ITL {itl}已是本机极限：内存带宽已用 {mbu}。</translation>
    </message>
    <message>
        <source>ITL {itl} with only {mbu} of the memory bandwidth in use: {why}.</source>
        <translation>ITL {itl}，而内存带宽仅用 {mbu}：{why}。</translation>
    </message>
    <message numerus="yes">
        <source>{n} of {of} layers run on the CPU</source>
        <translation>
            <numerusform>{n} / {of} 层在 CPU 上运行</numerusform>
        </translation>
    </message>
    <message>
        <source>flash attention is off</source>
        <translation>Flash Attention 已关闭</translation>
    </message>
    <message>
        <source>something else keeps the machine busy</source>
        <translation>机器在忙于其他工作</translation>
    </message>
    <message numerus="yes">
        <source>{n} steps also read other chats&apos; prompts</source>
        <translation>
            <numerusform>{n} 步同时读取了其他对话的提示词</numerusform>
        </translation>
    </message>
    <message>
        <source>other programs keep the processor busy</source>
        <translation>其他程序占用了处理器</translation>
    </message>
    <message numerus="yes">
        <source>its {n} threads share the processor with others</source>
        <translation>
            <numerusform>它的 {n} 个线程与其他程序共用处理器</numerusform>
        </translation>
    </message>
    <message>
        <source>the window itself was busy for {window}, which is our fault</source>
        <translation>窗口自身忙碌了 {window}，这是我们的问题</translation>
    </message>
    <message>
        <source>the window itself needed only {window} and had to wait for the processor</source>
        <translation>窗口自身只用了 {window}，其余时间在等待处理器</translation>
    </message>
    <message>
        <source>the window was late</source>
        <translation>窗口显示较晚</translation>
    </message>
    <message>
        <source>Keep this model loaded</source>
        <translation>保持此模型加载</translation>
    </message>
    <message>
        <source>Let more answers run at once</source>
        <translation>允许更多回答同时进行</translation>
    </message>
    <message>
        <source>What changed, and how to undo it</source>
        <translation>改变了什么，如何还原</translation>
    </message>
    <message>
        <source>Summarise this chat&apos;s history</source>
        <translation>将此对话的历史概括为摘要</translation>
    </message>
    <message>
        <source>Read prompts in larger steps</source>
        <translation>以更大的步长读取提示词</translation>
    </message>
    <message>
        <source>Turn flash attention on</source>
        <translation>开启 Flash Attention</translation>
    </message>
    <message>
        <source>Keep the KV cache in q8_0</source>
        <translation>KV 缓存使用 q8_0</translation>
    </message>
    <message>
        <source>Halve the context for more GPU layers</source>
        <translation>上下文减半，换取更多 GPU 层</translation>
    </message>
    <message>
        <source>Choose a smaller quantization</source>
        <translation>选择更小的量化</translation>
    </message>
    <message>
        <source>Draft tokens from the prompt</source>
        <translation>从提示词中起草 token</translation>
    </message>
    <message>
        <source>Use one thread less</source>
        <translation>少用一个线程</translation>
    </message>
    <message>
        <source>Read other prompts in smaller steps</source>
        <translation>以更小的步长读取其他提示词</translation>
    </message>
    <message>
        <source>Halve the context</source>
        <translation>上下文减半</translation>
    </message>
    <message>
        <source>Report this</source>
        <translation>报告此问题</translation>
    </message>
</context>
<context>
    <name>engine</name>
    <message>
        <source>A V cache of type {type_v} needs flash attention, which is off; f16 is used.</source>
        <translation>V 缓存类型 {type_v} 需要 Flash Attention，而它已关闭；改用 f16。</translation>
    </message>
    <message>
        <source>A message could not be read: {error}.</source>
        <translation>无法读取一条消息：{error}。</translation>
    </message>
    <message>
        <source>A message is not of the expected kind.</source>
        <translation>收到的消息不是预期的类型。</translation>
    </message>
    <message>
        <source>A request has either a grammar or a JSON schema, not both.</source>
        <translation>一个请求只能带语法或 JSON Schema 之一，不能两者都带。</translation>
    </message>
    <message>
        <source>A worker does not know the command {kind}.</source>
        <translation>工作进程不认识命令 {kind}。</translation>
    </message>
    <message>
        <source>Accept it on the hub&apos;s page, then put your token into Settings, Models.</source>
        <translation>请在模型库页面上接受许可证，然后把令牌填入“设置”的“模型”页。</translation>
    </message>
    <message>
        <source>Assistant</source>
        <translation>助手</translation>
    </message>
    <message>
        <source>Attached files that came in by name only: {n:,}. The export does not hold their text.</source>
        <translation>{n:,} 个附件只导入了名称：导出文件不含其文本。</translation>
    </message>
    <message>
        <source>Attached: {name}</source>
        <translation>附件：{name}</translation>
    </message>
    <message>
        <source>Cache reuse is switched off for this request.</source>
        <translation>此请求关闭了缓存复用。</translation>
    </message>
    <message>
        <source>Cancel it there.</source>
        <translation>请在那里取消。</translation>
    </message>
    <message>
        <source>Cancelled.</source>
        <translation>已取消。</translation>
    </message>
    <message>
        <source>Cannot allocate memory</source>
        <translation>无法分配内存</translation>
    </message>
    <message>
        <source>Cannot assign requested address</source>
        <translation>无法使用该地址</translation>
    </message>
    <message>
        <source>Chat</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>Chats without any message left out: {n:,}.</source>
        <translation>略去了 {n:,} 个没有消息的对话。</translation>
    </message>
    <message>
        <source>Check its permissions and its drive.</source>
        <translation>请检查它的权限和所在的磁盘。</translation>
    </message>
    <message>
        <source>Check its permissions, or set FIRSTLIGHT_HOME to another folder.</source>
        <translation>请检查其权限，或把 FIRSTLIGHT_HOME 设为其他文件夹。</translation>
    </message>
    <message>
        <source>Check that every rule of the grammar can be finished.</source>
        <translation>请检查语法的每条规则都能结束。</translation>
    </message>
    <message>
        <source>Check the folder&apos;s permissions, or set FIRSTLIGHT_HOME to another folder.</source>
        <translation>请检查文件夹的权限，或把 FIRSTLIGHT_HOME 设为其他文件夹。</translation>
    </message>
    <message>
        <source>Check the grammar, or send the request without it.</source>
        <translation>请检查语法，或不带语法发送请求。</translation>
    </message>
    <message>
        <source>Check the name; for a private repository put your token into Settings, Models.</source>
        <translation>请检查名称；私有仓库需要把令牌填入“设置”的“模型”页。</translation>
    </message>
    <message>
        <source>Check the path, or choose another model.</source>
        <translation>请检查路径，或选择其他模型。</translation>
    </message>
    <message>
        <source>Check your token in Settings, Models.</source>
        <translation>请检查“设置”的“模型”页中的令牌。</translation>
    </message>
    <message>
        <source>Choose a .gguf file in it.</source>
        <translation>请选择其中的 .gguf 文件。</translation>
    </message>
    <message>
        <source>Choose a chat model instead.</source>
        <translation>请改选聊天模型。</translation>
    </message>
    <message>
        <source>Choose a chat model.</source>
        <translation>请选择聊天模型。</translation>
    </message>
    <message>
        <source>Choose a chat model; embedding models serve the embed command.</source>
        <translation>请选择聊天模型；嵌入模型用于 embed 命令。</translation>
    </message>
    <message>
        <source>Choose a file with the model&apos;s weights.</source>
        <translation>请选择包含模型权重的文件。</translation>
    </message>
    <message>
        <source>Choose a new one.</source>
        <translation>请换一个新的。</translation>
    </message>
    <message>
        <source>Choose a shorter context or a KV type that takes less memory.</source>
        <translation>请选择更短的上下文，或占用更少内存的 KV 类型。</translation>
    </message>
    <message>
        <source>Choose a shorter context, a smaller quantization or fewer parallel chats.</source>
        <translation>请选择更短的上下文、更小的量化或更少的并行对话。</translation>
    </message>
    <message>
        <source>Choose a smaller model of the same family, or prompt lookup.</source>
        <translation>请选择同一系列的较小模型，或使用提示词查找。</translation>
    </message>
    <message>
        <source>Choose a smaller quantization, fewer GPU layers or a shorter context.</source>
        <translation>请选择更小的量化、更少的 GPU 层或更短的上下文。</translation>
    </message>
    <message>
        <source>Choose a smaller type, or allow it with --allow-requantize.</source>
        <translation>请选择更小的类型，或用 --allow-requantize 允许。</translation>
    </message>
    <message>
        <source>Choose a type.</source>
        <translation>请选择一种类型。</translation>
    </message>
    <message>
        <source>Choose an adapter made for this model.</source>
        <translation>请选择为此模型制作的适配器。</translation>
    </message>
    <message>
        <source>Choose another address.</source>
        <translation>请选择其他地址。</translation>
    </message>
    <message>
        <source>Choose another device in the model&apos;s settings.</source>
        <translation>请在模型设置中选择其他设备。</translation>
    </message>
    <message>
        <source>Choose another file, or reconnect its drive.</source>
        <translation>请选择其他文件，或重新连接其所在的磁盘。</translation>
    </message>
    <message>
        <source>Choose another main GPU in the model&apos;s settings.</source>
        <translation>请在该模型的设置中选择另一张主显卡。</translation>
    </message>
    <message>
        <source>Choose another model, or download one.</source>
        <translation>请选择其他模型，或下载一个。</translation>
    </message>
    <message>
        <source>Choose another model.</source>
        <translation>请选择其他模型。</translation>
    </message>
    <message>
        <source>Choose another port.</source>
        <translation>请选择其他端口。</translation>
    </message>
    <message>
        <source>Choose another repository.</source>
        <translation>请选择其他仓库。</translation>
    </message>
    <message>
        <source>Choose another type.</source>
        <translation>请选择其他类型。</translation>
    </message>
    <message>
        <source>Choose f16.</source>
        <translation>请选择 f16。</translation>
    </message>
    <message>
        <source>Choose that model&apos;s main file instead.</source>
        <translation>请改选该模型的主文件。</translation>
    </message>
    <message>
        <source>Choose the file again.</source>
        <translation>请重新选择文件。</translation>
    </message>
    <message>
        <source>Choose the first part; the others are found by themselves.</source>
        <translation>请选择第一个分卷，其余的会自动找到。</translation>
    </message>
    <message>
        <source>Choose the folder that holds only the chats.</source>
        <translation>请选择只包含对话的文件夹。</translation>
    </message>
    <message>
        <source>Choose the same type for K and V: {known}.</source>
        <translation>请为 K 和 V 选择相同的类型：{known}。</translation>
    </message>
    <message>
        <source>Close another program that uses the GPU and go on, or load the model with a shorter context or fewer GPU layers.</source>
        <translation>请关闭另一个使用 GPU 的程序再继续，或以更短的上下文或更少的 GPU 层加载模型。</translation>
    </message>
    <message>
        <source>Close the other window of Firstlight, or the program that copies the file, and try again.</source>
        <translation>请关闭另一个 Firstlight 窗口或正在复制该文件的程序，然后重试。</translation>
    </message>
    <message>
        <source>Correct the grammar, or leave it out.</source>
        <translation>请改正语法，或不使用它。</translation>
    </message>
    <message>
        <source>Correct the schema, or leave it out.</source>
        <translation>请改正 Schema，或不使用它。</translation>
    </message>
    <message>
        <source>Delete it and download it again.</source>
        <translation>请删除后重新下载。</translation>
    </message>
    <message>
        <source>Delete it first, or use it.</source>
        <translation>请先删除它，或直接使用它。</translation>
    </message>
    <message>
        <source>Delete the file and download it again.</source>
        <translation>请删除该文件并重新下载。</translation>
    </message>
    <message>
        <source>Download it again, or choose another file.</source>
        <translation>请重新下载，或选择其他文件。</translation>
    </message>
    <message>
        <source>Download it again.</source>
        <translation>请重新下载。</translation>
    </message>
    <message>
        <source>Download it again; if it happens again, the hub&apos;s file or your connection is at fault.</source>
        <translation>请重新下载；如果再次发生，则是模型库的文件或您的网络连接有问题。</translation>
    </message>
    <message>
        <source>Download it to see its details.</source>
        <translation>下载后才能查看详情。</translation>
    </message>
    <message>
        <source>Download or copy the file again.</source>
        <translation>请重新下载或复制该文件。</translation>
    </message>
    <message>
        <source>Download the missing parts into the same folder.</source>
        <translation>请把缺少的分卷下载到同一文件夹。</translation>
    </message>
    <message>
        <source>Fetch it with: git lfs pull.</source>
        <translation>请用 git lfs pull 获取。</translation>
    </message>
    <message>
        <source>Firstlight ended before this answer was complete.</source>
        <translation>Firstlight 在此回答完成之前结束了。</translation>
    </message>
    <message>
        <source>Firstlight is set to stay offline.</source>
        <translation>Firstlight 已设为保持离线。</translation>
    </message>
    <message>
        <source>Firstlight, ChatGPT, Claude, LM Studio, Jan, GPT4All, Open WebUI and SillyTavern chats, character cards, and lists of messages as OpenAI or ShareGPT write them</source>
        <translation>Firstlight、ChatGPT、Claude、LM Studio、Jan、GPT4All、Open WebUI 和 SillyTavern 的对话，角色卡，以及 OpenAI 或 ShareGPT 格式的消息列表</translation>
    </message>
    <message>
        <source>Free some space and try again.</source>
        <translation>请腾出空间后重试。</translation>
    </message>
    <message>
        <source>Free some space, or choose another download folder in Settings.</source>
        <translation>请腾出空间，或在设置中选择其他下载文件夹。</translation>
    </message>
    <message>
        <source>Free some space, or choose another folder for models in the settings.</source>
        <translation>请腾出空间，或在设置中选择其他模型文件夹。</translation>
    </message>
    <message>
        <source>Free some space; the text on the screen is still there to be copied.</source>
        <translation>请腾出空间；屏幕上的文字还在，可以复制。</translation>
    </message>
    <message>
        <source>Give a longer text.</source>
        <translation>请提供更长的文本。</translation>
    </message>
    <message>
        <source>Give a path to a .gguf file, a name that python -m engine models list shows, or starter.</source>
        <translation>请提供 .gguf 文件的路径、python -m engine models list 显示的名称，或 starter。</translation>
    </message>
    <message>
        <source>Give a token, or serve on 127.0.0.1.</source>
        <translation>请设置令牌，或改用 127.0.0.1。</translation>
    </message>
    <message>
        <source>Give the whole name.</source>
        <translation>请提供完整名称。</translation>
    </message>
    <message>
        <source>Install Firstlight again with pip or pipx, which brings and builds it.</source>
        <translation>请用 pip 或 pipx 重新安装 Firstlight，它会一并取得并构建引擎。</translation>
    </message>
    <message>
        <source>Install both from the same release.</source>
        <translation>请安装同一版本的两个部分。</translation>
    </message>
    <message>
        <source>It is being started again: repeat the request in a moment.</source>
        <translation>正在重新启动：请稍后重试。</translation>
    </message>
    <message>
        <source>It is made anew when it is needed.</source>
        <translation>需要时会重新生成。</translation>
    </message>
    <message>
        <source>It is not fetched.</source>
        <translation>未获取该文件。</translation>
    </message>
    <message>
        <source>It lies in {folder}.</source>
        <translation>它位于 {folder}。</translation>
    </message>
    <message>
        <source>It may have been deleted meanwhile.</source>
        <translation>它可能已被删除。</translation>
    </message>
    <message>
        <source>It was deleted, perhaps in another window.</source>
        <translation>它已被删除，可能是在另一个窗口中。</translation>
    </message>
    <message>
        <source>Its drive or folder is not there now.</source>
        <translation>它所在的磁盘或文件夹现在不可用。</translation>
    </message>
    <message>
        <source>Its last words: {words}.</source>
        <translation>最后的信息：{words}。</translation>
    </message>
    <message>
        <source>Its name or that of its folder is no Unicode text. Rename it to use it.</source>
        <translation>文件名或所在文件夹的名称不是有效的 Unicode 文本。重命名后即可使用。</translation>
    </message>
    <message>
        <source>Join all of its pieces, in order, into one .gguf file, and choose that.</source>
        <translation>请按顺序把所有片段合并成一个 .gguf 文件，再选择该文件。</translation>
    </message>
    <message>
        <source>KV type {kind} does not suit this model: its heads are no multiple of the type&apos;s block.</source>
        <translation>KV 类型 {kind} 不适合此模型：其注意力头长度不是该类型块大小的整数倍。</translation>
    </message>
    <message>
        <source>KV type {type_v} needs flash attention, which is off.</source>
        <translation>KV 类型 {type_v} 需要 Flash Attention，而它已关闭。</translation>
    </message>
    <message>
        <source>Leave it out.</source>
        <translation>请去掉它。</translation>
    </message>
    <message>
        <source>Leave one of them out.</source>
        <translation>请去掉其中之一。</translation>
    </message>
    <message>
        <source>Leave {keyword} out, and check the answer for it afterwards.</source>
        <translation>请去掉 {keyword}，并在得到回答后再检查。</translation>
    </message>
    <message>
        <source>Load a model first.</source>
        <translation>请先加载模型。</translation>
    </message>
    <message>
        <source>Load it again for chatting.</source>
        <translation>请重新加载以用于聊天。</translation>
    </message>
    <message>
        <source>Load it again with embeddings switched on.</source>
        <translation>请打开嵌入后重新加载。</translation>
    </message>
    <message>
        <source>Load the model that it was made for, and add the adapter there.</source>
        <translation>请加载它所针对的模型，并在那里添加适配器。</translation>
    </message>
    <message>
        <source>Load the model with a smaller context or fewer layers on the GPU, or choose a smaller quantization of it.</source>
        <translation>请用更小的上下文或更少的 GPU 层加载模型，或选择更小的量化。</translation>
    </message>
    <message>
        <source>Load the model with another KV cache type or on another device.</source>
        <translation>请用其他 KV 缓存类型或在其他设备上加载模型。</translation>
    </message>
    <message>
        <source>Loading the model was cancelled.</source>
        <translation>已取消加载模型。</translation>
    </message>
    <message>
        <source>Look for a GGUF file of this model.</source>
        <translation>请寻找此模型的 GGUF 文件。</translation>
    </message>
    <message>
        <source>Look for a newer file of this model.</source>
        <translation>请寻找此模型较新的文件。</translation>
    </message>
    <message>
        <source>Look for the little-endian file of this model.</source>
        <translation>请寻找此模型的小端序文件。</translation>
    </message>
    <message>
        <source>Memory ran out in the middle of the answer; what it says so far stays.</source>
        <translation>回答到一半时内存耗尽；已有的内容会保留。</translation>
    </message>
    <message>
        <source>Name a file or a repository.</source>
        <translation>请指定一个文件或仓库。</translation>
    </message>
    <message>
        <source>No file of the repository was named.</source>
        <translation>没有指定仓库中的文件。</translation>
    </message>
    <message>
        <source>No model is loaded.</source>
        <translation>没有加载模型。</translation>
    </message>
    <message>
        <source>No model was named.</source>
        <translation>没有指定模型。</translation>
    </message>
    <message>
        <source>Nothing in it could be read; a fresh one was started.</source>
        <translation>其中没有可读取的内容；已新建一个文件。</translation>
    </message>
    <message>
        <source>One chat with {messages} could be recovered.</source>
        <translation>恢复了 1 个对话，共 {messages}。</translation>
    </message>
    <message>
        <source>One of {of} layers runs on the GPU instead of {asked}; the others run on the CPU, which is slower.</source>
        <translation>{of} 层中只有 1 层在 GPU 上运行（请求了 {asked} 层）；其余在 CPU 上运行，速度较慢。</translation>
    </message>
    <message>
        <source>One of {of} parts is missing.</source>
        <translation>{of} 个分卷中缺少 1 个。</translation>
    </message>
    <message>
        <source>One token was the same, but this model&apos;s {what} cannot be cut back.</source>
        <translation>1 个 token 相同，但此模型的{what}不能回退。</translation>
    </message>
    <message>
        <source>Only what Firstlight downloaded has one.</source>
        <translation>只有 Firstlight 下载的文件才有。</translation>
    </message>
    <message>
        <source>Port {port} is in use by another program.</source>
        <translation>端口 {port} 已被其他程序占用。</translation>
    </message>
    <message>
        <source>Prompt lookup is used instead.</source>
        <translation>改用提示词查找。</translation>
    </message>
    <message>
        <source>Quantizing {name} failed: {reason}.</source>
        <translation>量化 {name} 失败：{reason}。</translation>
    </message>
    <message>
        <source>Refresh the list.</source>
        <translation>请刷新列表。</translation>
    </message>
    <message>
        <source>Rename the file or its folder.</source>
        <translation>请重命名该文件或其所在的文件夹。</translation>
    </message>
    <message>
        <source>Resume or repeat its download.</source>
        <translation>请继续或重新下载。</translation>
    </message>
    <message>
        <source>Run python3 packaging/bootstrap.py run, which brings it, or choose another model.</source>
        <translation>请运行 python3 packaging/bootstrap.py run 来获取它，或选择其他模型。</translation>
    </message>
    <message>
        <source>Run python3 packaging/bootstrap.py run, which installs and builds it.</source>
        <translation>请运行 python3 packaging/bootstrap.py run 来安装和构建它。</translation>
    </message>
    <message>
        <source>Search again.</source>
        <translation>请重新搜索。</translation>
    </message>
    <message>
        <source>Set it to 1 or more.</source>
        <translation>请设为 1 或更大。</translation>
    </message>
    <message>
        <source>Set the environment variable HF_TOKEN before starting Firstlight instead.</source>
        <translation>请改为在启动 Firstlight 之前设置环境变量 HF_TOKEN。</translation>
    </message>
    <message>
        <source>Several models are called {name}: {names}.</source>
        <translation>有多个模型名为 {name}：{names}。</translation>
    </message>
    <message>
        <source>Shorten it, or load the model with a longer context.</source>
        <translation>请缩短它，或用更长的上下文加载模型。</translation>
    </message>
    <message>
        <source>Shorten it, start a new chat, let old messages slide out, or load the model with a longer context.</source>
        <translation>请缩短它、开始新对话、让旧消息滑出，或用更长的上下文加载模型。</translation>
    </message>
    <message>
        <source>Shorten the text.</source>
        <translation>请缩短文本。</translation>
    </message>
    <message>
        <source>Something went wrong inside Firstlight ({kind}).</source>
        <translation>Firstlight 内部出错（{kind}）。</translation>
    </message>
    <message>
        <source>Split it, or load the model with a larger n_ubatch.</source>
        <translation>请拆分它，或用更大的 n_ubatch 加载模型。</translation>
    </message>
    <message>
        <source>Start Firstlight again.</source>
        <translation>请重新启动 Firstlight。</translation>
    </message>
    <message>
        <source>Start Firstlight again: it keeps the damaged file aside and recovers what can be read.</source>
        <translation>请重新启动 Firstlight：它会保留损坏的文件，并恢复可读取的内容。</translation>
    </message>
    <message>
        <source>Start a new chat, or choose another model.</source>
        <translation>请新建对话，或选择其他模型。</translation>
    </message>
    <message>
        <source>Start another worker.</source>
        <translation>请启动另一个工作进程。</translation>
    </message>
    <message>
        <source>Start from its F16, BF16 or Q8_0, or allow it with --allow-requantize.</source>
        <translation>请从其 F16、BF16 或 Q8_0 开始，或用 --allow-requantize 允许。</translation>
    </message>
    <message>
        <source>Start it again.</source>
        <translation>请重新开始。</translation>
    </message>
    <message>
        <source>Stopped at the limit of one token.</source>
        <translation>已达到 1 个 token 的上限，回答到此为止。</translation>
    </message>
    <message>
        <source>Switch flash attention off.</source>
        <translation>请关闭 Flash Attention。</translation>
    </message>
    <message>
        <source>Switch them off, or choose adapters made for this model.</source>
        <translation>请关闭它们，或选择为此模型制作的适配器。</translation>
    </message>
    <message>
        <source>Text {number} is empty.</source>
        <translation>第 {number} 段文本是空的。</translation>
    </message>
    <message>
        <source>The GPU failed or was reset, as after sleep or by a fault of its driver ({words}).</source>
        <translation>GPU 出错或被重置，例如在睡眠之后，或因驱动程序故障（{words}）。</translation>
    </message>
    <message>
        <source>The GPU has no room for any of this model, which runs on the CPU.</source>
        <translation>GPU 完全放不下此模型，它在 CPU 上运行。</translation>
    </message>
    <message>
        <source>The JSON schema cannot be used: {what}.</source>
        <translation>无法使用该 JSON Schema：{what}。</translation>
    </message>
    <message>
        <source>The JSON schema uses {keyword} at {path}, which cannot be enforced.</source>
        <translation>JSON Schema 在 {path} 处使用了 {keyword}，无法强制执行。</translation>
    </message>
    <message>
        <source>The adapter {name} does not fit this model: {reason}.</source>
        <translation>适配器 {name} 不适合此模型：{reason}。</translation>
    </message>
    <message>
        <source>The adapter {name} is not there.</source>
        <translation>找不到适配器 {name}。</translation>
    </message>
    <message>
        <source>The chat “{title}” in {name} could not be read ({reason}).</source>
        <translation>无法读取 {name} 中的对话“{title}”（{reason}）。</translation>
    </message>
    <message>
        <source>The chats are closed.</source>
        <translation>对话库已关闭。</translation>
    </message>
    <message>
        <source>The chats in {path} are damaged ({error}).</source>
        <translation>{path} 中的对话已损坏（{error}）。</translation>
    </message>
    <message>
        <source>The chats in {path} are in use by another program.</source>
        <translation>{path} 中的对话正被其他程序使用。</translation>
    </message>
    <message>
        <source>The chats in {place} cannot be saved ({reason}).</source>
        <translation>无法保存 {place} 中的对话（{reason}）。</translation>
    </message>
    <message>
        <source>The chats were saved by a newer Firstlight (format {found}, this one knows {known}).</source>
        <translation>这些对话由更新版本的 Firstlight 保存（格式 {found}，此版本认识 {known}）。</translation>
    </message>
    <message>
        <source>The disk is full: the chats in {place} cannot be saved.</source>
        <translation>磁盘已满：无法保存 {place} 中的对话。</translation>
    </message>
    <message>
        <source>The disk is full: {folder}.</source>
        <translation>磁盘已满：{folder}。</translation>
    </message>
    <message>
        <source>The disk is full: {place} cannot be written.</source>
        <translation>磁盘已满：无法写入 {place}。</translation>
    </message>
    <message>
        <source>The download stopped for a reason that Firstlight does not know.</source>
        <translation>下载因未知原因停止。</translation>
    </message>
    <message>
        <source>The download went wrong.</source>
        <translation>下载出错。</translation>
    </message>
    <message>
        <source>The engine could not be started: {reason}.</source>
        <translation>无法启动引擎：{reason}。</translation>
    </message>
    <message>
        <source>The engine ended by {signal}.</source>
        <translation>引擎因 {signal} 结束。</translation>
    </message>
    <message>
        <source>The engine ended with exit code {n}.</source>
        <translation>引擎以退出码 {n} 结束。</translation>
    </message>
    <message>
        <source>The engine was compiled for other GPUs than this one: run the set-up again.</source>
        <translation>引擎不是为此 GPU 编译的：请重新运行安装程序。</translation>
    </message>
    <message>
        <source>The engine was ended by the system (SIGKILL), which often means that memory ran out.</source>
        <translation>引擎被系统终止（SIGKILL），这通常表示内存不足。</translation>
    </message>
    <message>
        <source>The engine was shut down.</source>
        <translation>引擎已关闭。</translation>
    </message>
    <message>
        <source>The engine {did} and was stopped.</source>
        <translation>引擎{did}，已被停止。</translation>
    </message>
    <message>
        <source>The file cannot be read: {reason}.</source>
        <translation>无法读取文件：{reason}。</translation>
    </message>
    <message>
        <source>The file has no chat template, so the common ChatML format is used.</source>
        <translation>文件没有聊天模板，因此使用通用的 ChatML 格式。</translation>
    </message>
    <message>
        <source>The file with your chats is damaged.</source>
        <translation>您的对话文件已损坏。</translation>
    </message>
    <message>
        <source>The file with your chats was damaged and is kept as {path}.</source>
        <translation>您的对话文件已损坏，已保留为 {path}。</translation>
    </message>
    <message>
        <source>The file {name} is not there.</source>
        <translation>找不到文件 {name}。</translation>
    </message>
    <message>
        <source>The folder {place} cannot be written ({reason}).</source>
        <translation>无法写入文件夹 {place}（{reason}）。</translation>
    </message>
    <message>
        <source>The grammar cannot be used: {what}.</source>
        <translation>无法使用该语法：{what}。</translation>
    </message>
    <message>
        <source>The grammar leaves no token to go on with.</source>
        <translation>该语法没有留下可继续的 token。</translation>
    </message>
    <message>
        <source>The history was changed after {n:,} of {of:,} cached tokens.</source>
        <translation>历史记录在 {of:,} 个缓存 token 中的第 {n:,} 个之后被更改。</translation>
    </message>
    <message>
        <source>The host does not know the command {name}.</source>
        <translation>主进程不认识命令 {name}。</translation>
    </message>
    <message>
        <source>The hub answers with an error ({status}).</source>
        <translation>模型库返回错误（{status}）。</translation>
    </message>
    <message>
        <source>The hub asks to slow down.</source>
        <translation>模型库要求放慢请求。</translation>
    </message>
    <message>
        <source>The hub cannot be reached.</source>
        <translation>无法连接模型库。</translation>
    </message>
    <message>
        <source>The hub did not say how large {file} is.</source>
        <translation>模型库没有说明 {file} 的大小。</translation>
    </message>
    <message>
        <source>The hub keeps sending something else for {file}.</source>
        <translation>模型库对 {file} 总是发来不同的内容。</translation>
    </message>
    <message>
        <source>The hub names a file outside our folder: {file}.</source>
        <translation>模型库给出的文件位于我们的文件夹之外：{file}。</translation>
    </message>
    <message>
        <source>The hub refuses access to {name}.</source>
        <translation>模型库拒绝访问 {name}。</translation>
    </message>
    <message>
        <source>The hub sent a whole file instead of a part.</source>
        <translation>模型库发来了整个文件，而不是其中一部分。</translation>
    </message>
    <message>
        <source>The import ended there.</source>
        <translation>导入到此结束。</translation>
    </message>
    <message>
        <source>The log has the details.</source>
        <translation>详情见日志。</translation>
    </message>
    <message>
        <source>The memory of the GPU ran out, which ended the engine.</source>
        <translation>显存耗尽，引擎因此结束。</translation>
    </message>
    <message>
        <source>The model was made for {n_ctx_train:,} tokens; beyond them it loses its thread.</source>
        <translation>此模型为 {n_ctx_train:,} 个 token 而训练；超出后会失去连贯性。</translation>
    </message>
    <message>
        <source>The model was trained for {trained:,} tokens of context; {asked:,} were asked for.</source>
        <translation>此模型的训练上下文为 {trained:,} 个 token；请求了 {asked:,} 个。</translation>
    </message>
    <message>
        <source>The model&apos;s chat template cannot be used ({error}), so the common ChatML format is used.</source>
        <translation>无法使用模型的聊天模板（{error}），因此使用通用的 ChatML 格式。</translation>
    </message>
    <message>
        <source>The model&apos;s chat template does not take this chat: {failure}.</source>
        <translation>模型的聊天模板不接受此对话：{failure}。</translation>
    </message>
    <message>
        <source>The model&apos;s output is not a number, so no token can be chosen.</source>
        <translation>模型的输出不是数字，因此无法选择 token。</translation>
    </message>
    <message>
        <source>The name of {path} is no Unicode text, so that it cannot be told to the engine.</source>
        <translation>{path} 的名称不是有效的 Unicode 文本，无法传给引擎。</translation>
    </message>
    <message>
        <source>The request was cancelled.</source>
        <translation>请求已取消。</translation>
    </message>
    <message>
        <source>The request_id {request_id} is in use.</source>
        <translation>request_id {request_id} 正在使用。</translation>
    </message>
    <message>
        <source>The saved cache could not be put back.</source>
        <translation>无法恢复已保存的缓存。</translation>
    </message>
    <message>
        <source>The saved cache of this chat was not used: {refusal}.</source>
        <translation>没有使用此对话已保存的缓存：{refusal}。</translation>
    </message>
    <message>
        <source>The settings could not be read ({reason}); defaults are used.</source>
        <translation>无法读取设置（{reason}）；使用默认值。</translation>
    </message>
    <message>
        <source>The settings file was damaged and is kept as {name}; defaults are used.</source>
        <translation>设置文件已损坏，已保留为 {name}；使用默认值。</translation>
    </message>
    <message>
        <source>The starter model is not here ({path} is missing).</source>
        <translation>没有找到入门模型（缺少 {path}）。</translation>
    </message>
    <message>
        <source>The template writes today&apos;s date into the prompt.</source>
        <translation>模板会把今天的日期写入提示词。</translation>
    </message>
    <message>
        <source>The {n} oldest messages no longer fit into the context and are not seen by the model.</source>
        <translation>上下文已放不下最早的 {n} 条消息，模型看不到它们。</translation>
    </message>
    <message>
        <source>There is no device named {missing}; this computer has {known}.</source>
        <translation>没有名为 {missing} 的设备；本机有 {known}。</translation>
    </message>
    <message>
        <source>There is no file {path}.</source>
        <translation>找不到文件 {path}。</translation>
    </message>
    <message>
        <source>There is no model called {name} in the library.</source>
        <translation>本机没有名为 {name} 的模型。</translation>
    </message>
    <message>
        <source>There is nothing to answer: the chat has no text.</source>
        <translation>没有可回答的内容：对话没有文字。</translation>
    </message>
    <message>
        <source>There is nothing to answer: the prompt is empty.</source>
        <translation>没有可回答的内容：提示词是空的。</translation>
    </message>
    <message>
        <source>This chat no longer exists.</source>
        <translation>此对话已不存在。</translation>
    </message>
    <message>
        <source>This does not fit the other chats ({error}).</source>
        <translation>这与其他对话不相符（{error}）。</translation>
    </message>
    <message>
        <source>This download is not in the list any more.</source>
        <translation>此下载已不在列表中。</translation>
    </message>
    <message>
        <source>This folder no longer exists.</source>
        <translation>此文件夹已不存在。</translation>
    </message>
    <message>
        <source>This message no longer exists.</source>
        <translation>此消息已不存在。</translation>
    </message>
    <message>
        <source>This model has no place for a system prompt, so it stands at the beginning of the first message.</source>
        <translation>此模型没有系统提示词的位置，因此把它放在第一条消息的开头。</translation>
    </message>
    <message>
        <source>This model is gone from the trash.</source>
        <translation>此模型已不在回收站中。</translation>
    </message>
    <message>
        <source>This model is not in the library any more.</source>
        <translation>此模型已不在本机的模型列表中。</translation>
    </message>
    <message>
        <source>This model wants a chat to begin with the user, so an empty message was put first.</source>
        <translation>此模型要求对话由用户开始，因此在最前面放了一条空消息。</translation>
    </message>
    <message>
        <source>This model wants turns to alternate, so neighbouring messages were joined.</source>
        <translation>此模型要求角色交替，因此合并了相邻的消息。</translation>
    </message>
    <message>
        <source>This model was loaded for chatting.</source>
        <translation>此模型是为聊天加载的。</translation>
    </message>
    <message>
        <source>This model was loaded for embeddings.</source>
        <translation>此模型是为嵌入加载的。</translation>
    </message>
    <message>
        <source>This page belongs to another hub.</source>
        <translation>此页面属于另一个模型库。</translation>
    </message>
    <message>
        <source>This part of Firstlight speaks protocol {known}, the other speaks {version}.</source>
        <translation>Firstlight 的这一部分使用协议 {known}，另一部分使用 {version}。</translation>
    </message>
    <message>
        <source>This summary no longer exists.</source>
        <translation>此摘要已不存在。</translation>
    </message>
    <message>
        <source>This system has no keyring that could keep the token.</source>
        <translation>此系统没有可保存令牌的密钥环。</translation>
    </message>
    <message>
        <source>This worker has a model already.</source>
        <translation>此工作进程已有模型。</translation>
    </message>
    <message>
        <source>Try again in a few minutes.</source>
        <translation>请几分钟后重试。</translation>
    </message>
    <message>
        <source>Try again in {seconds:.0f} s.</source>
        <translation>请在 {seconds:.0f} 秒后重试。</translation>
    </message>
    <message>
        <source>Try again later.</source>
        <translation>请稍后重试。</translation>
    </message>
    <message>
        <source>Try again; if it stays, load the model again and report it with the log.</source>
        <translation>请重试；如果仍然如此，请重新加载模型，并附上日志报告。</translation>
    </message>
    <message>
        <source>Try again; if it stays, load the model with a shorter context or fewer GPU layers.</source>
        <translation>请重试；如果仍然如此，请用更短的上下文或更少的 GPU 层加载模型。</translation>
    </message>
    <message>
        <source>Turn flash attention on, or choose f16.</source>
        <translation>请打开 Flash Attention，或选择 f16。</translation>
    </message>
    <message>
        <source>Unload it first.</source>
        <translation>请先卸载它。</translation>
    </message>
    <message>
        <source>Unpack it first, then import the folder.</source>
        <translation>请先解压，然后导入文件夹。</translation>
    </message>
    <message>
        <source>Unpack it first.</source>
        <translation>请先解压。</translation>
    </message>
    <message>
        <source>Until then, what you write is not kept after closing Firstlight.</source>
        <translation>在此之前，您写的内容在关闭 Firstlight 后不会保留。</translation>
    </message>
    <message>
        <source>Update Firstlight to open them; the file was not changed.</source>
        <translation>请更新 Firstlight 以打开它们；文件没有被更改。</translation>
    </message>
    <message>
        <source>Update Firstlight, or choose another model.</source>
        <translation>请更新 Firstlight，或选择其他模型。</translation>
    </message>
    <message>
        <source>Update Firstlight.</source>
        <translation>请更新 Firstlight。</translation>
    </message>
    <message>
        <source>Use 0 for automatic.</source>
        <translation>0 表示自动。</translation>
    </message>
    <message>
        <source>Use it for search, and choose a chat model here.</source>
        <translation>请把它用于搜索，在这里选择聊天模型。</translation>
    </message>
    <message>
        <source>Wait for it to end.</source>
        <translation>请等它结束。</translation>
    </message>
    <message>
        <source>What came before is here; for the rest, download or copy the file again.</source>
        <translation>在此之前的内容已导入；其余部分请重新下载或复制该文件。</translation>
    </message>
    <message>
        <source>What came is kept; resume it, or report it with the log from Settings, About.</source>
        <translation>已下载的部分会保留；请继续下载，或附上“设置”的“关于”页中的日志报告。</translation>
    </message>
    <message>
        <source>What came is kept; resume when the connection is back.</source>
        <translation>已下载的部分会保留；请在网络恢复后继续。</translation>
    </message>
    <message>
        <source>Check the connection, and the address and the proxy in Settings, Models.</source>
        <translation>请检查网络连接，以及“设置”的“模型”页中的地址和代理。</translation>
    </message>
    <message>
        <source>1 message</source>
        <translation>1 条消息</translation>
    </message>
    <message>
        <source>1 token</source>
        <translation>1 个 token</translation>
    </message>
    <message>
        <source>A comparison needs two KV types and {n_needed:,} tokens; there are {n_tokens:,} tokens.</source>
        <translation>比较需要两种 KV 类型和 {n_needed:,} 个 token；现有 {n_tokens:,} 个 token。</translation>
    </message>
    <message>
        <source>A context of {n_ctx:,} tokens could not be made: {reason}.</source>
        <translation>无法创建 {n_ctx:,} 个 token 的上下文：{reason}。</translation>
    </message>
    <message>
        <source>A context of {n_ctx:,} tokens does not fit: {lack}.</source>
        <translation>放不下 {n_ctx:,} 个 token 的上下文：{lack}。</translation>
    </message>
    <message>
        <source>Choose one of: {names}.</source>
        <translation>可选：{names}。</translation>
    </message>
    <message>
        <source>Connection refused</source>
        <translation>连接被拒绝</translation>
    </message>
    <message>
        <source>Connection reset by peer</source>
        <translation>连接被对方重置</translation>
    </message>
    <message>
        <source>Device or resource busy</source>
        <translation>设备或资源正忙</translation>
    </message>
    <message>
        <source>Entries that are no chats, passed over: {n:,}.</source>
        <translation>跳过了 {n:,} 项不是对话的内容。</translation>
    </message>
    <message>
        <source>Excerpts of documents that the model was given, left out: {n:,}.</source>
        <translation>略去了 {n:,} 段提供给模型的文档摘录。</translation>
    </message>
    <message>
        <source>Exec format error</source>
        <translation>可执行文件格式错误</translation>
    </message>
    <message>
        <source>File exists</source>
        <translation>文件已存在</translation>
    </message>
    <message>
        <source>File name too long</source>
        <translation>文件名过长</translation>
    </message>
    <message>
        <source>Hidden system messages left out: {n:,}.</source>
        <translation>略去了 {n:,} 条隐藏的系统消息。</translation>
    </message>
    <message>
        <source>Images left out: {n:,}. The export names them, but this version keeps text.</source>
        <translation>略去了 {n:,} 张图片：导出文件提到了它们，但此版本只保留文本。</translation>
    </message>
    <message>
        <source>Input/output error</source>
        <translation>输入/输出错误</translation>
    </message>
    <message>
        <source>Is a directory</source>
        <translation>是一个文件夹</translation>
    </message>
    <message>
        <source>It has died {deaths} times in a row while answering with {model}, so it is not started again by itself.</source>
        <translation>用 {model} 回答时它已连续崩溃 {deaths} 次，因此不再自动重新启动。</translation>
    </message>
    <message>
        <source>It has died {deaths} times in a row while loading {model}, so it is not started again by itself.</source>
        <translation>加载 {model} 时它已连续崩溃 {deaths} 次，因此不再自动重新启动。</translation>
    </message>
    <message>
        <source>Messages that had lost their place and were put at the start of their chat: {n:,}.</source>
        <translation>{n:,} 条消息失去了位置，已放在其对话的开头。</translation>
    </message>
    <message>
        <source>More problems of this kind: {n:,}.</source>
        <translation>还有 {n:,} 个此类问题。</translation>
    </message>
    <message>
        <source>Network is unreachable</source>
        <translation>网络不可达</translation>
    </message>
    <message>
        <source>No space left on device</source>
        <translation>设备上没有剩余空间</translation>
    </message>
    <message>
        <source>No such file or directory</source>
        <translation>找不到文件或文件夹</translation>
    </message>
    <message>
        <source>Not a directory</source>
        <translation>不是文件夹</translation>
    </message>
    <message>
        <source>Operation not permitted</source>
        <translation>不允许的操作</translation>
    </message>
    <message>
        <source>Parts of an unknown kind kept as raw JSON: {n:,}.</source>
        <translation>{n:,} 个未知类型的部分保留为原始 JSON。</translation>
    </message>
    <message>
        <source>Permission denied</source>
        <translation>权限不足</translation>
    </message>
    <message>
        <source>Places that are not JSON, skipped: {n:,}.</source>
        <translation>跳过了 {n:,} 处不是 JSON 的内容。</translation>
    </message>
    <message>
        <source>Read-only file system</source>
        <translation>只读文件系统</translation>
    </message>
    <message>
        <source>Reasoning</source>
        <translation>思考过程</translation>
    </message>
    <message>
        <source>Something unexpected went wrong in Firstlight&apos;s engine: {error}.</source>
        <translation>Firstlight 的引擎遇到意外错误：{error}。</translation>
    </message>
    <message>
        <source>Stopped at the limit of {n:,} tokens.</source>
        <translation>已达到 {n:,} 个 token 的上限，回答到此为止。</translation>
    </message>
    <message>
        <source>Stopped by you.</source>
        <translation>已由您停止。</translation>
    </message>
    <message>
        <source>Switch “Stay offline” off in Settings, Models.</source>
        <translation>请在“设置”的“模型”页中关闭“保持离线”。</translation>
    </message>
    <message>
        <source>System</source>
        <translation>系统</translation>
    </message>
    <message>
        <source>System prompt</source>
        <translation>系统提示词</translation>
    </message>
    <message>
        <source>Text {number} has {n_tokens:,} tokens; this model takes {limit:,} at once.</source>
        <translation>第 {number} 段文本有 {n_tokens:,} 个 token；此模型一次最多接受 {limit:,} 个。</translation>
    </message>
    <message>
        <source>The GPU</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>The KV cache is kept in {made} instead of {asked}, so that the model fits.</source>
        <translation>KV 缓存使用 {made} 而不是 {asked}，以便放下模型。</translation>
    </message>
    <message>
        <source>The context is full. Start a new chat, or choose in the menu ⋯ which turns give way.</source>
        <translation>上下文已满。请新建对话，或在 ⋯ 菜单的“上下文已满时”中选择处理方式。</translation>
    </message>
    <message>
        <source>The context is {made:,} tokens instead of {asked:,}, so that the model fits.</source>
        <translation>上下文为 {made:,} 个 token，而不是 {asked:,} 个，以便放下模型。</translation>
    </message>
    <message>
        <source>The context of {n_ctx:,} tokens is full. Start a new chat, or choose in the menu ⋯ which turns give way.</source>
        <translation>{n_ctx:,} 个 token 的上下文已满。请新建对话，或在 ⋯ 菜单的“上下文已满时”中选择处理方式。</translation>
    </message>
    <message>
        <source>The experts of one layer stay on the CPU: more do not fit on the GPU.</source>
        <translation>1 层的专家留在 CPU 上：GPU 放不下更多。</translation>
    </message>
    <message>
        <source>The experts of {n} layers stay on the CPU: more do not fit on the GPU.</source>
        <translation>{n} 层的专家留在 CPU 上：GPU 放不下更多。</translation>
    </message>
    <message>
        <source>The file</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>The hub does not have this part of {name}, or does not show it to you.</source>
        <translation>模型库没有 {name} 的这项内容，或您无权访问。</translation>
    </message>
    <message>
        <source>The main GPU is number {number}, but only one is used, counted from 0.</source>
        <translation>主显卡设为第 {number} 张，但只使用了 1 张（从 0 数起）。</translation>
    </message>
    <message>
        <source>The main GPU is number {number}, but only {n} are used, counted from 0.</source>
        <translation>主显卡设为第 {number} 张，但只使用了 {n} 张（从 0 数起）。</translation>
    </message>
    <message>
        <source>The model ended inside its reasoning.</source>
        <translation>模型在思考过程中结束了。</translation>
    </message>
    <message>
        <source>The model is answering, and would pause for seconds.</source>
        <translation>模型正在回答，会因此停顿数秒。</translation>
    </message>
    <message>
        <source>The number of tensors in the parts of {name} is {n:,} instead of {expected:,}: they do not match.</source>
        <translation>{name} 的分卷共有 {n:,} 个张量，应为 {expected:,} 个：它们不匹配。</translation>
    </message>
    <message>
        <source>The oldest message no longer fits into the context and is not seen by the model.</source>
        <translation>上下文已放不下最早的一条消息，模型看不到它。</translation>
    </message>
    <message>
        <source>The prompt has {n_tokens:,} tokens and the context holds {n_ctx:,}.</source>
        <translation>提示词有 {n_tokens:,} 个 token，而上下文可容纳 {n_ctx:,} 个。</translation>
    </message>
    <message>
        <source>The prompt is read in steps of {n_ubatch:,} tokens, so that the model fits; that takes longer.</source>
        <translation>提示词以每步 {n_ubatch:,} 个 token 读取，以便放下模型；这会更慢。</translation>
    </message>
    <message>
        <source>The prompt of {n_tokens:,} tokens does not fit into the cache.</source>
        <translation>缓存放不下 {n_tokens:,} 个 token 的提示词。</translation>
    </message>
    <message>
        <source>Too many open files</source>
        <translation>打开的文件过多</translation>
    </message>
    <message>
        <source>Tool</source>
        <translation>工具</translation>
    </message>
    <message>
        <source>Tool calls and results left out: {n:,}.</source>
        <translation>略去了 {n:,} 个工具调用和结果。</translation>
    </message>
    <message>
        <source>What this model needs cannot be foretold; loading it will show.</source>
        <translation>无法预估该模型的需求；加载后才知道。</translation>
    </message>
    <message>
        <source>Write it as owner/name.</source>
        <translation>格式为“所有者/名称”。</translation>
    </message>
    <message>
        <source>Write something.</source>
        <translation>请写点内容。</translation>
    </message>
    <message>
        <source>You</source>
        <translation>您</translation>
    </message>
    <message>
        <source>Your own catalogue {name} cannot be read ({error}), so only the built-in one is shown.</source>
        <translation>无法读取您自己的目录 {name}（{error}），因此只显示内置目录。</translation>
    </message>
    <message>
        <source>a 7-Zip archive</source>
        <translation>一个 7-Zip 压缩包</translation>
    </message>
    <message>
        <source>a GGUF file for a big-endian machine</source>
        <translation>为大端序机器制作的 GGUF 文件</translation>
    </message>
    <message>
        <source>a Git LFS pointer, not the model itself</source>
        <translation>一个 Git LFS 指针，而不是模型本身</translation>
    </message>
    <message>
        <source>a Python pickle (PyTorch weights)</source>
        <translation>一个 Python pickle 文件（PyTorch 权重）</translation>
    </message>
    <message>
        <source>a ZIP archive (perhaps PyTorch weights)</source>
        <translation>一个 ZIP 压缩包（可能是 PyTorch 权重）</translation>
    </message>
    <message>
        <source>a control vector</source>
        <translation>控制向量</translation>
    </message>
    <message>
        <source>a gzip archive</source>
        <translation>一个 gzip 压缩包</translation>
    </message>
    <message>
        <source>a model in the GGML format of 2023, before GGUF</source>
        <translation>一个 GGML 格式的模型，这是 2023 年 GGUF 之前的格式</translation>
    </message>
    <message>
        <source>a speech model</source>
        <translation>语音模型</translation>
    </message>
    <message>
        <source>a speech recognition model</source>
        <translation>语音识别模型</translation>
    </message>
    <message>
        <source>a translation model</source>
        <translation>翻译模型</translation>
    </message>
    <message>
        <source>access permission denied</source>
        <translation>无权访问</translation>
    </message>
    <message>
        <source>an image or video model</source>
        <translation>图像或视频模型</translation>
    </message>
    <message>
        <source>attempt to write a readonly database</source>
        <translation>数据库为只读</translation>
    </message>
    <message>
        <source>database disk image is malformed</source>
        <translation>数据库文件已损坏</translation>
    </message>
    <message>
        <source>did not start within {seconds:g} s</source>
        <translation>未能在 {seconds:g} 秒内启动</translation>
    </message>
    <message>
        <source>did not stop a cancelled request within {seconds:g} s</source>
        <translation>未能在 {seconds:g} 秒内停止已取消的请求</translation>
    </message>
    <message>
        <source>disk I/O error</source>
        <translation>磁盘读写出错</translation>
    </message>
    <message>
        <source>file is not a database</source>
        <translation>该文件不是数据库</translation>
    </message>
    <message>
        <source>first token after {seconds:.2f} s</source>
        <translation>首个 token 用时 {seconds:.2f} 秒</translation>
    </message>
    <message>
        <source>general.alignment is of type {kind} instead of uint32</source>
        <translation>general.alignment 的类型是 {kind}，而不是 uint32</translation>
    </message>
    <message>
        <source>general.alignment is {value}, which is no power of two</source>
        <translation>general.alignment 为 {value}，不是 2 的幂</translation>
    </message>
    <message>
        <source>holds only a vocabulary, no weights</source>
        <translation>只含词表，没有权重</translation>
    </message>
    <message>
        <source>holds statistics for making quantizations, no weights</source>
        <translation>只含用于制作量化的统计数据，没有权重</translation>
    </message>
    <message>
        <source>hybrid, {n} of {of} layers with attention</source>
        <translation>混合架构，{of} 层中 {n} 层带注意力</translation>
    </message>
    <message>
        <source>is a LoRA adapter, not a whole model</source>
        <translation>是 LoRA 适配器，而不是完整的模型</translation>
    </message>
    <message>
        <source>is a draft head that only speeds up another model</source>
        <translation>是只用于加速其他模型的草稿头</translation>
    </message>
    <message>
        <source>is an embedding model, which turns text into numbers and cannot answer</source>
        <translation>是嵌入模型，只把文本变成数字，不能回答</translation>
    </message>
    <message>
        <source>is the image part (mmproj) of another model</source>
        <translation>是另一个模型的图像部分（mmproj）</translation>
    </message>
    <message>
        <source>is {what}, not a chat model</source>
        <translation>是{what}，而不是聊天模型</translation>
    </message>
    <message>
        <source>it begins with zeros, as a download does that was cut off</source>
        <translation>文件开头全是零，像是中断的下载</translation>
    </message>
    <message>
        <source>it begins with {magic}, and not as a GGUF file does</source>
        <translation>文件以 {magic} 开头，而不是 GGUF 文件的开头</translation>
    </message>
    <message>
        <source>it did not answer within {seconds:g} s</source>
        <translation>它在 {seconds:g} 秒内没有响应</translation>
    </message>
    <message>
        <source>it ended with exit code {code}</source>
        <translation>它以退出码 {code} 结束</translation>
    </message>
    <message>
        <source>it ends too early</source>
        <translation>文件过早结束</translation>
    </message>
    <message>
        <source>it holds a value of an unknown kind</source>
        <translation>其中有未知类型的值</translation>
    </message>
    <message>
        <source>it is empty</source>
        <translation>文件是空的</translation>
    </message>
    <message>
        <source>it is in a version of GPT4All&apos;s format that is not known</source>
        <translation>它使用未知版本的 GPT4All 格式</translation>
    </message>
    <message>
        <source>it is not a list of objects</source>
        <translation>它不是对象列表</translation>
    </message>
    <message>
        <source>it is not built as it should be</source>
        <translation>结构不符合要求</translation>
    </message>
    <message>
        <source>it is packed in a way that is not known here</source>
        <translation>不支持其压缩方式</translation>
    </message>
    <message>
        <source>its format version is 0</source>
        <translation>文件的格式版本为 0</translation>
    </message>
    <message>
        <source>its header is over {mb} MB, at {what}</source>
        <translation>文件头超过 {mb} MB，读到{what}</translation>
    </message>
    <message>
        <source>its number of layers cannot be {n:,}</source>
        <translation>文件中的层数不可能是 {n:,}</translation>
    </message>
    <message>
        <source>its tensors up to {name!r} add up to {size:,} bytes</source>
        <translation>到 {name!r} 为止的张量共 {size:,} 字节</translation>
    </message>
    <message>
        <source>llama-cpp-python is not installed</source>
        <translation>没有安装 llama-cpp-python</translation>
    </message>
    <message>
        <source>llama.cpp could not embed the text (error {number}): {reason}.</source>
        <translation>llama.cpp 无法嵌入文本（错误 {number}）：{reason}。</translation>
    </message>
    <message>
        <source>llama.cpp could not run a step (error {number}): {reason}.</source>
        <translation>llama.cpp 无法执行一步（错误 {number}）：{reason}。</translation>
    </message>
    <message>
        <source>llama.cpp does not accept this grammar.</source>
        <translation>llama.cpp 不接受此语法。</translation>
    </message>
    <message>
        <source>llama.cpp gave no reason</source>
        <translation>llama.cpp 没有给出原因</translation>
    </message>
    <message>
        <source>llama.cpp gave up: {error}.</source>
        <translation>llama.cpp 放弃了：{error}。</translation>
    </message>
    <message>
        <source>llama.cpp refused the adapters.</source>
        <translation>llama.cpp 拒绝了适配器。</translation>
    </message>
    <message>
        <source>memory does not grow with the context</source>
        <translation>内存不随上下文增长</translation>
    </message>
    <message>
        <source>metadata entry {key!r} is an array of arrays</source>
        <translation>元数据条目 {key!r} 是数组的数组</translation>
    </message>
    <message>
        <source>metadata entry {key!r} is of the unknown type {number}</source>
        <translation>元数据条目 {key!r} 的类型 {number} 未知</translation>
    </message>
    <message>
        <source>metadata entry {key!r} is there twice</source>
        <translation>元数据条目 {key!r} 出现了两次</translation>
    </message>
    <message>
        <source>metadata entry {number} has no name</source>
        <translation>元数据条目 {number} 没有名称</translation>
    </message>
    <message>
        <source>n_parallel has to be 1 or more.</source>
        <translation>n_parallel 必须为 1 或更大。</translation>
    </message>
    <message>
        <source>newer than this Firstlight knows</source>
        <translation>比此 Firstlight 认识的更新</translation>
    </message>
    <message>
        <source>no language model</source>
        <translation>非语言模型</translation>
    </message>
    <message>
        <source>one of its chats is larger than {mb} MB</source>
        <translation>其中一个对话超过 {mb} MB</translation>
    </message>
    <message>
        <source>recurrent state</source>
        <translation>循环状态</translation>
    </message>
    <message>
        <source>recurrent, no attention</source>
        <translation>循环架构，无注意力</translation>
    </message>
    <message>
        <source>sent a message that could not be read ({error})</source>
        <translation>发来了无法读取的消息（{error}）</translation>
    </message>
    <message>
        <source>sent a message without an end</source>
        <translation>发来了没有结尾的消息</translation>
    </message>
    <message>
        <source>sliding window of {window:,} tokens</source>
        <translation>{window:,} 个 token 的滑动窗口</translation>
    </message>
    <message>
        <source>tensor {name!r} begins at byte {offset:,} of the data instead of {expected:,}</source>
        <translation>张量 {name!r} 从数据的第 {offset:,} 字节开始，应为第 {expected:,} 字节</translation>
    </message>
    <message>
        <source>tensor {name!r} begins at byte {offset:,}, which is no multiple of {alignment}</source>
        <translation>张量 {name!r} 从第 {offset:,} 字节开始，不是 {alignment} 的整数倍</translation>
    </message>
    <message>
        <source>tensor {name!r} claims {size:,} bytes</source>
        <translation>张量 {name!r} 声称占 {size:,} 字节</translation>
    </message>
    <message>
        <source>tensor {name!r} has a dimension of 0: {shape}</source>
        <translation>张量 {name!r} 有一个维度为 0：{shape}</translation>
    </message>
    <message>
        <source>tensor {name!r} has a negative dimension: {shape}</source>
        <translation>张量 {name!r} 有一个维度为负：{shape}</translation>
    </message>
    <message>
        <source>tensor {name!r} has too many elements: {shape}</source>
        <translation>张量 {name!r} 的元素过多：{shape}</translation>
    </message>
    <message>
        <source>tensor {name!r} is of the unknown type {type}</source>
        <translation>张量 {name!r} 的类型 {type} 未知</translation>
    </message>
    <message>
        <source>tensor {name!r} is there twice</source>
        <translation>张量 {name!r} 出现了两次</translation>
    </message>
    <message>
        <source>tensor {name!r} of {size:,} bytes cannot be padded to {alignment}</source>
        <translation>{size:,} 字节的张量 {name!r} 无法对齐到 {alignment}</translation>
    </message>
    <message>
        <source>the archive is damaged</source>
        <translation>压缩包已损坏</translation>
    </message>
    <message>
        <source>the beginning</source>
        <translation>开头部分</translation>
    </message>
    <message>
        <source>the best one that can be run here</source>
        <translation>本机能运行的最好的一个</translation>
    </message>
    <message>
        <source>the best quality that fits into memory</source>
        <translation>内存放得下的最高质量</translation>
    </message>
    <message>
        <source>the best quality that fits into the GPU</source>
        <translation>GPU 放得下的最高质量</translation>
    </message>
    <message>
        <source>the character card has no name</source>
        <translation>角色卡没有名称</translation>
    </message>
    <message>
        <source>the character card in the picture is damaged</source>
        <translation>图片中的角色卡已损坏</translation>
    </message>
    <message>
        <source>the dimensions of {of!r}</source>
        <translation>张量 {of!r} 的维数</translation>
    </message>
    <message>
        <source>the element type of {of!r}</source>
        <translation>条目 {of!r} 的元素类型</translation>
    </message>
    <message>
        <source>the fastest on this computer</source>
        <translation>在本机上最快</translation>
    </message>
    <message>
        <source>the fastest one that still answers well</source>
        <translation>回答质量仍然良好的模型中最快的</translation>
    </message>
    <message>
        <source>the file ends at byte {size:,}, inside {what}</source>
        <translation>文件在第 {size:,} 字节处结束，{what}不完整</translation>
    </message>
    <message>
        <source>the file is not a PNG picture</source>
        <translation>文件不是 PNG 图片</translation>
    </message>
    <message>
        <source>the files named …-of-{n:05d}.gguf</source>
        <translation>名为 …-of-{n:05d}.gguf 的文件</translation>
    </message>
    <message>
        <source>the largest that fits well</source>
        <translation>能轻松放下的最大模型</translation>
    </message>
    <message>
        <source>the length of the name of tensor {of}</source>
        <translation>张量 {of} 的名称长度</translation>
    </message>
    <message>
        <source>the length of {of!r}</source>
        <translation>条目 {of!r} 的长度</translation>
    </message>
    <message>
        <source>the list {of!r}</source>
        <translation>列表 {of!r} 的内容</translation>
    </message>
    <message>
        <source>the magic number</source>
        <translation>文件标识</translation>
    </message>
    <message>
        <source>the name of metadata entry {of}</source>
        <translation>元数据条目 {of} 的名称</translation>
    </message>
    <message>
        <source>the name of tensor {number} is {length:,} bytes long, and at most {limit} are possible</source>
        <translation>张量 {number} 的名称长 {length:,} 字节，最多允许 {limit} 字节</translation>
    </message>
    <message>
        <source>the name of tensor {of}</source>
        <translation>张量 {of} 的名称</translation>
    </message>
    <message>
        <source>the number of metadata entries</source>
        <translation>元数据条目数</translation>
    </message>
    <message>
        <source>the number of tensors</source>
        <translation>张量数</translation>
    </message>
    <message>
        <source>the only one that this computer can run</source>
        <translation>本机唯一能运行的一个</translation>
    </message>
    <message>
        <source>the picture holds no character card</source>
        <translation>图片中没有角色卡</translation>
    </message>
    <message>
        <source>the place of {of!r}</source>
        <translation>张量 {of!r} 的位置</translation>
    </message>
    <message>
        <source>the shape of {of!r}</source>
        <translation>张量 {of!r} 的形状</translation>
    </message>
    <message>
        <source>the text of {of!r}</source>
        <translation>条目 {of!r} 的文本</translation>
    </message>
    <message>
        <source>the type of {of!r}</source>
        <translation>条目 {of!r} 的类型</translation>
    </message>
    <message>
        <source>the value of {of!r}</source>
        <translation>条目 {of!r} 的值</translation>
    </message>
    <message>
        <source>the version</source>
        <translation>版本号</translation>
    </message>
    <message>
        <source>there is no array “{key}” near the start</source>
        <translation>开头附近没有数组“{key}”</translation>
    </message>
    <message>
        <source>too old</source>
        <translation>太旧</translation>
    </message>
    <message>
        <source>unable to open database file</source>
        <translation>无法打开数据库文件</translation>
    </message>
    <message>
        <source>{bind} can be reached by other computers, so a token is needed.</source>
        <translation>其他电脑可以访问 {bind}，因此需要令牌。</translation>
    </message>
    <message>
        <source>{bind}:{port} cannot be served: {reason}.</source>
        <translation>无法在 {bind}:{port} 提供服务：{reason}。</translation>
    </message>
    <message>
        <source>{device} has room for {n} of {of} layers; the others run on the CPU, which is slower.</source>
        <translation>{device} 放得下 {of} 层中的 {n} 层；其余在 CPU 上运行，速度较慢。</translation>
    </message>
    <message>
        <source>{device} has too little memory to help.</source>
        <translation>{device} 的显存太少，帮不上忙。</translation>
    </message>
    <message>
        <source>{device} has {free:.2f} GiB for it and {needed:.2f} GiB are needed</source>
        <translation>{device} 有 {free:.2f} GiB 可用，需要 {needed:.2f} GiB</translation>
    </message>
    <message>
        <source>{file} arrived damaged: its SHA-256 is not the hub&apos;s.</source>
        <translation>{file} 下载后已损坏：其 SHA-256 与模型库的不符。</translation>
    </message>
    <message>
        <source>{file} cannot be checked: no hash of it is known.</source>
        <translation>无法校验 {file}：没有它的哈希值。</translation>
    </message>
    <message>
        <source>{file} is damaged: its SHA-256 is not the one that it was downloaded with.</source>
        <translation>{file} 已损坏：其 SHA-256 与下载时不同。</translation>
    </message>
    <message>
        <source>{file} needs {missing:.1f} GB more, and {free:.1f} GB are free ({reserve:.1f} GB of them stay free).</source>
        <translation>{file} 还需要 {missing:.1f} GB，可用空间只有 {free:.1f} GB（其中 {reserve:.1f} GB 须保留）。</translation>
    </message>
    <message>
        <source>{first} {then}</source>
        <translation>{first}{then}</translation>
    </message>
    <message>
        <source>{first}, {then}</source>
        <translation>{first}，{then}</translation>
    </message>
    <message>
        <source>{mb:,.1f} MB of KV per 1,000 tokens</source>
        <translation>每 1,000 个 token 占用 {mb:,.1f} MB KV</translation>
    </message>
    <message>
        <source>{member} in {name} would unpack to {size:,} MB from {packed:,} kB, which no export does; nothing was read.</source>
        <translation>{name} 中的 {member} 会从 {packed:,} kB 解压为 {size:,} MB，任何导出文件都不会如此；没有读取任何内容。</translation>
    </message>
    <message>
        <source>{model_id} is not loaded.</source>
        <translation>{model_id} 没有加载。</translation>
    </message>
    <message>
        <source>{n:,} tokens</source>
        <translation>{n:,} 个 token</translation>
    </message>
    <message>
        <source>{name} holds more than {limit:,} files.</source>
        <translation>{name} 包含超过 {limit:,} 个文件。</translation>
    </message>
    <message>
        <source>{name} holds {files:,} files, which no export does.</source>
        <translation>{name} 包含 {files:,} 个文件，任何导出文件都不会如此。</translation>
    </message>
    <message>
        <source>{name} is damaged: {reason}.</source>
        <translation>{name} 已损坏：{reason}。</translation>
    </message>
    <message>
        <source>{name} is one piece of a model file that was cut up.</source>
        <translation>{name} 只是被切分的模型文件中的一个片段。</translation>
    </message>
    <message>
        <source>{n} of {of} layers run on the GPU instead of {asked}; the others run on the CPU, which is slower.</source>
        <translation>{of} 层中只有 {n} 层在 GPU 上运行（请求了 {asked} 层）；其余在 CPU 上运行，速度较慢。</translation>
    </message>
    <message>
        <source>{what} claims to be {length:,} bytes long, and at most {limit:,} are possible</source>
        <translation>{what}声称长 {length:,} 字节，最多允许 {limit:,} 字节</translation>
    </message>
    <message>
        <source>{what} holds a text that claims to be {length:,} bytes long</source>
        <translation>{what}中有一段文本声称长 {length:,} 字节</translation>
    </message>
    <message>
        <source>{what}, about {tps:.0f} tok/s</source>
        <translation>{what}，约 {tps:.0f} tok/s</translation>
    </message>
    <message>
        <source>{n:,} tokens were the same, but this model&apos;s {what} cannot be cut back, and the nearest checkpoint holds {n_cached:,}.</source>
        <translation>{n:,} 个 token 相同，但此模型的{what}不能回退，最近的检查点有 {n_cached:,} 个。</translation>
    </message>
    <message>
        <source>a row of tensor {name!r} is {n:,} long, which is no multiple of {kind}&apos;s {block}</source>
        <translation>张量 {name!r} 的一行有 {n:,} 个元素，不是 {kind} 块大小 {block} 的整数倍</translation>
    </message>
    <message>
        <source>grouped-query attention {heads}/{kv} heads</source>
        <translation>分组查询注意力 {heads}/{kv} 头</translation>
    </message>
    <message>
        <source>it claims to hold {claimed:,} metadata entries</source>
        <translation>文件声称有 {claimed:,} 个元数据条目</translation>
    </message>
    <message>
        <source>it claims to hold {claimed:,} tensors</source>
        <translation>文件声称有 {claimed:,} 个张量</translation>
    </message>
    <message>
        <source>latent attention {heads} heads</source>
        <translation>潜在注意力 {heads} 头</translation>
    </message>
    <message>
        <source>llama.cpp wrote {written:,} of {size:,} bytes of a sequence&apos;s state.</source>
        <translation>llama.cpp 只写入了序列状态 {size:,} 字节中的 {written:,} 字节。</translation>
    </message>
    <message>
        <source>multi-head attention {heads} heads</source>
        <translation>多头注意力 {heads} 头</translation>
    </message>
    <message>
        <source>multi-query attention {heads}/1 heads</source>
        <translation>多查询注意力 {heads}/1 头</translation>
    </message>
    <message>
        <source>sliding window of {window:,} tokens on {layers} of {of} layers</source>
        <translation>{of} 层中 {layers} 层使用 {window:,} 个 token 的滑动窗口</translation>
    </message>
    <message>
        <source>tensor {name!r} has {claimed:,} dimensions, and at most {limit} are possible</source>
        <translation>张量 {name!r} 有 {claimed:,} 个维度，最多允许 {limit} 个</translation>
    </message>
    <message>
        <source>the list {key!r} claims to hold {claimed:,} texts</source>
        <translation>列表 {key!r} 声称有 {claimed:,} 段文本</translation>
    </message>
    <message>
        <source>{file} stopped at {percent:.0f} %: the hub cannot be reached.</source>
        <translation>{file} 停在 {percent:.0f}%：无法连接模型库。</translation>
    </message>
    <message>
        <source>{n:,} chats with {messages} could be recovered.</source>
        <translation>恢复了 {n:,} 个对话，共 {messages}。</translation>
    </message>
    <message>
        <source>{n:,} messages</source>
        <translation>{n:,} 条消息</translation>
    </message>
    <message>
        <source>{name} cannot draft for this model: {difference}.</source>
        <translation>{name} 不能为此模型起草：{difference}。</translation>
    </message>
    <message>
        <source>{name} cannot run attention over a KV cache of {type_k} keys and {type_v} values: it would be left to the CPU.</source>
        <translation>{name} 无法在 K 为 {type_k}、V 为 {type_v} 的 KV 缓存上计算注意力，只能交给 CPU。</translation>
    </message>
    <message>
        <source>{name} could not be loaded: {reason}.</source>
        <translation>无法加载 {name}：{reason}。</translation>
    </message>
    <message>
        <source>{name} could not be read ({reason}).</source>
        <translation>无法读取 {name}（{reason}）。</translation>
    </message>
    <message>
        <source>{name} does not fit into memory.</source>
        <translation>内存放不下 {name}。</translation>
    </message>
    <message>
        <source>{name} has no messages.jsonl beside it; choose the folder of the thread.</source>
        <translation>{name} 旁边没有 messages.jsonl；请选择该会话的文件夹。</translation>
    </message>
    <message>
        <source>{name} has {n_parts} parts, and these are missing: {parts}.</source>
        <translation>{name} 有 {n_parts} 个分卷，缺少：{parts}。</translation>
    </message>
    <message>
        <source>{name} holds no model that can answer.</source>
        <translation>{name} 中没有能回答的模型。</translation>
    </message>
    <message>
        <source>{name} is a model of the kind {architecture}, which does not answer chats.</source>
        <translation>{name} 是 {architecture} 类型的模型，不能聊天。</translation>
    </message>
    <message>
        <source>{name} is a web page, not a model.</source>
        <translation>{name} 是网页，而不是模型。</translation>
    </message>
    <message>
        <source>{name} is cut short: it has {size:,} of {expected:,} bytes.</source>
        <translation>{name} 不完整：{expected:,} 字节中只有 {size:,} 字节。</translation>
    </message>
    <message>
        <source>{name} is damaged: {fault}.</source>
        <translation>{name} 已损坏：{fault}。</translation>
    </message>
    <message>
        <source>{name} is empty.</source>
        <translation>{name} 是空的。</translation>
    </message>
    <message>
        <source>{name} is gated: its owner wants its licence accepted first.</source>
        <translation>{name} 受限：其所有者要求先接受许可证。</translation>
    </message>
    <message>
        <source>{name} is in GGUF version {version}, which is {age}.</source>
        <translation>{name} 的 GGUF 版本为 {version}，{age}。</translation>
    </message>
    <message>
        <source>{name} is in the safetensors format.</source>
        <translation>{name} 是 safetensors 格式。</translation>
    </message>
    <message>
        <source>{name} is loaded.</source>
        <translation>{name} 已加载。</translation>
    </message>
    <message>
        <source>{name} is locked with a password.</source>
        <translation>{name} 有密码保护。</translation>
    </message>
    <message>
        <source>{name} is no repository name.</source>
        <translation>{name} 不是仓库名称。</translation>
    </message>
    <message>
        <source>{name} is no smaller than {quantization}.</source>
        <translation>{name} 不比 {quantization} 小。</translation>
    </message>
    <message>
        <source>{name} is no type that can be made here.</source>
        <translation>{name} 不是这里能制作的类型。</translation>
    </message>
    <message>
        <source>{name} is none of the formats that can be imported: {formats}.</source>
        <translation>{name} 不是可导入的格式：{formats}。</translation>
    </message>
    <message>
        <source>{name} is not there.</source>
        <translation>找不到 {name}。</translation>
    </message>
    <message>
        <source>{name} is part {part} of {n_parts} of a model.</source>
        <translation>{name} 是模型 {n_parts} 个分卷中的第 {part} 个。</translation>
    </message>
    <message>
        <source>{name} is there already.</source>
        <translation>{name} 已经存在。</translation>
    </message>
    <message>
        <source>{name} is {quantization} already, so another quantization of it would lose twice.</source>
        <translation>{name} 已经是 {quantization}，再次量化会造成双重损失。</translation>
    </message>
    <message>
        <source>{name} is {quantization} already.</source>
        <translation>{name} 已经是 {quantization}。</translation>
    </message>
    <message>
        <source>{name} is {value}; it cannot be negative.</source>
        <translation>{name} 为 {value}；它不能为负。</translation>
    </message>
    <message>
        <source>{name} is {what}.</source>
        <translation>{name} 是{what}。</translation>
    </message>
    <message>
        <source>{name} needs a newer llama.cpp: {reason}.</source>
        <translation>{name} 需要更新的 llama.cpp：{reason}。</translation>
    </message>
    <message>
        <source>{name} takes {size:,.0f} MB, and {free:,.0f} MB are free on the disk.</source>
        <translation>{name} 需要 {size:,.0f} MB，而磁盘可用 {free:,.0f} MB。</translation>
    </message>
    <message>
        <source>{name} was made for a big-endian machine.</source>
        <translation>{name} 是为大端序机器制作的。</translation>
    </message>
    <message>
        <source>{name} was not downloaded by Firstlight, so it is not deleted from here.</source>
        <translation>{name} 不是由 Firstlight 下载的，因此不在此删除。</translation>
    </message>
    <message>
        <source>{name} was written by a newer Firstlight (format {version}); update Firstlight to import it.</source>
        <translation>{name} 由更新版本的 Firstlight 写入（格式 {version}）；请更新 Firstlight 以导入。</translation>
    </message>
    <message>
        <source>{name} would take {size:,.0f} MB instead of {now:,.0f} MB: what is lost does not come back.</source>
        <translation>{name} 将占用 {size:,.0f} MB，而现在为 {now:,.0f} MB：丢失的精度无法恢复。</translation>
    </message>
    <message>
        <source>{name} {sentence}.</source>
        <translation>{name} {sentence}。</translation>
    </message>
    <message>
        <source>{needed:.1f} GB of memory are needed and {free:.1f} GB are free: the model will be read from the disk again and again.</source>
        <translation>需要 {needed:.1f} GB 内存，可用 {free:.1f} GB：模型会反复从磁盘读取。</translation>
    </message>
    <message>
        <source>{n} of {of} experts active</source>
        <translation>{of} 个专家中 {n} 个活跃</translation>
    </message>
    <message>
        <source>{n} of {of} parts are missing.</source>
        <translation>{of} 个分卷中缺少 {n} 个。</translation>
    </message>
    <message>
        <source>{path} is a folder, not a model file.</source>
        <translation>{path} 是文件夹，而不是模型文件。</translation>
    </message>
    <message>
        <source>{rate:.1f} tok/s</source>
        <translation>{rate:.1f} tok/s</translation>
    </message>
    <message>
        <source>{repo} has no GGUF chat model.</source>
        <translation>{repo} 没有 GGUF 聊天模型。</translation>
    </message>
    <message>
        <source>{repo} is being downloaded by another window or command of Firstlight.</source>
        <translation>Firstlight 的另一个窗口或命令正在下载 {repo}。</translation>
    </message>
</context>
<context>
    <name>first window</name>
    <message>
        <source>Firstlight cannot start, because files of it are missing or damaged ({reason}). Set it up again: python3 packaging/bootstrap.py run. Your chats are kept.</source>
        <translation>Firstlight 无法启动：它自身的文件缺失或已损坏（{reason}）。请重新安装：python3 packaging/bootstrap.py run。您的对话不受影响。</translation>
    </message>
</context>
<context>
    <name>pictures</name>
    <message>
        <source>Click to load it from {place}</source>
        <translation>点击即可从 {place} 加载</translation>
    </message>
    <message>
        <source>Loading from {place}…</source>
        <translation>正在从 {place} 加载…</translation>
    </message>
    <message>
        <source>Not found: {place}</source>
        <translation>未找到：{place}</translation>
    </message>
    <message>
        <source>No picture that can be shown: {place}</source>
        <translation>不是可显示的图片：{place}</translation>
    </message>
    <message>
        <source>Too large to be shown: {place}</source>
        <translation>太大，无法显示：{place}</translation>
    </message>
    <message>
        <source>Firstlight is set to stay offline: {place}</source>
        <translation>Firstlight 已设为离线：{place}</translation>
    </message>
</context>
<context>
    <name>presets</name>
    <message>
        <source>Default</source>
        <translation>默认</translation>
    </message>
</context>
<context>
    <name>quantities</name>
    <message>
        <source>{ms} ms</source>
        <translation>{ms} 毫秒</translation>
    </message>
    <message>
        <source>{s} s</source>
        <translation>{s} 秒</translation>
    </message>
    <message>
        <source>{minutes} min {s} s</source>
        <translation>{minutes} 分 {s} 秒</translation>
    </message>
    <message>
        <source>{number} %</source>
        <translation>{number}%</translation>
    </message>
    <message>
        <source>, </source>
        <translation>、</translation>
    </message>
    <message>
        <source>{first} {then}</source>
        <translation>{first}{then}</translation>
    </message>
</context>
<context>
    <name>settings line</name>
    <message>
        <source>flash attention</source>
        <translation>Flash Attention</translation>
    </message>
    <message>
        <source>speculative {kind}</source>
        <translation>推测解码 {kind}</translation>
    </message>
    <message numerus="yes">
        <source>{n} layers</source>
        <translation>
            <numerusform>{n} 层</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>experts of {n} layers on the CPU</source>
        <translation>
            <numerusform>{n} 层的专家在 CPU 上</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} threads</source>
        <translation>
            <numerusform>{n} 线程</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>shortcuts</name>
    <message>
        <source>New chat</source>
        <translation>新对话</translation>
    </message>
    <message>
        <source>Stop the answer</source>
        <translation>停止回答</translation>
    </message>
    <message>
        <source>Regenerate the last answer</source>
        <translation>重新生成最后的回答</translation>
    </message>
    <message>
        <source>Regenerate the last answer with another model or preset</source>
        <translation>用其他模型或预设重新生成最后的回答</translation>
    </message>
    <message>
        <source>Copy the last answer</source>
        <translation>复制最后的回答</translation>
    </message>
    <message>
        <source>Add the text without asking for an answer</source>
        <translation>仅添加文本，不生成回答</translation>
    </message>
    <message>
        <source>Add the text as the model&apos;s answer</source>
        <translation>将文本添加为模型的回答</translation>
    </message>
    <message>
        <source>What the model sees</source>
        <translation>模型看到的内容</translation>
    </message>
    <message>
        <source>System prompt of this chat</source>
        <translation>此对话的系统提示词</translation>
    </message>
    <message>
        <source>Draw formulas in this chat, or show their LaTeX</source>
        <translation>在此对话中排版公式或显示其 LaTeX</translation>
    </message>
    <message>
        <source>Find in this chat</source>
        <translation>在此对话中查找</translation>
    </message>
    <message>
        <source>Search all chats</source>
        <translation>搜索所有对话</translation>
    </message>
    <message>
        <source>Archived chats</source>
        <translation>已归档的对话</translation>
    </message>
    <message>
        <source>Command palette</source>
        <translation>命令面板</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>键盘快捷键</translation>
    </message>
    <message>
        <source>Choose a model</source>
        <translation>选择模型</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Show or hide the latency panel</source>
        <translation>显示或隐藏延迟面板</translation>
    </message>
    <message>
        <source>Show or hide the chats</source>
        <translation>显示或隐藏对话列表</translation>
    </message>
    <message>
        <source>Next chat</source>
        <translation>下一个对话</translation>
    </message>
    <message>
        <source>Previous chat</source>
        <translation>上一个对话</translation>
    </message>
    <message>
        <source>Larger text</source>
        <translation>放大文字</translation>
    </message>
    <message>
        <source>Smaller text</source>
        <translation>缩小文字</translation>
    </message>
    <message>
        <source>Reset the text size</source>
        <translation>恢复默认字号</translation>
    </message>
    <message>
        <source>Go to the message field</source>
        <translation>转到消息输入框</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>退出</translation>
    </message>
    <message>
        <source>Rename this chat</source>
        <translation>重命名此对话</translation>
    </message>
    <message>
        <source>Export this chat</source>
        <translation>导出此对话</translation>
    </message>
    <message>
        <source>Duplicate this chat</source>
        <translation>将此对话复制一份</translation>
    </message>
    <message>
        <source>Archive this chat, or bring it back</source>
        <translation>归档此对话，或将其取回</translation>
    </message>
    <message>
        <source>Delete this chat</source>
        <translation>删除此对话</translation>
    </message>
    <message>
        <source>Export chats</source>
        <translation>导出对话</translation>
    </message>
    <message>
        <source>Import chats</source>
        <translation>导入对话</translation>
    </message>
    <message>
        <source>Unload the model</source>
        <translation>卸载模型</translation>
    </message>
    <message>
        <source>How models are loaded</source>
        <translation>模型的加载方式</translation>
    </message>
    <message>
        <source>Colours as the system</source>
        <translation>配色跟随系统</translation>
    </message>
    <message>
        <source>Light colours</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>Dark colours</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>High contrast colours</source>
        <translation>高对比度</translation>
    </message>
</context>
<context>
    <name>trial</name>
    <message>
        <source>as it is loaded now</source>
        <translation>当前的加载方式</translation>
    </message>
    <message>
        <source>KV cache {kind}</source>
        <translation>KV 缓存 {kind}</translation>
    </message>
    <message>
        <source>flash attention off</source>
        <translation>关闭 Flash Attention</translation>
    </message>
    <message>
        <source>flash attention on</source>
        <translation>开启 Flash Attention</translation>
    </message>
    <message>
        <source>tokens drafted from the prompt</source>
        <translation>从提示词中起草 token</translation>
    </message>
    <message>
        <source>no drafted tokens</source>
        <translation>不起草 token</translation>
    </message>
    <message numerus="yes">
        <source>prompt in steps of {n} tokens</source>
        <translation>
            <numerusform>提示词按 {n} 个 token 分步</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} threads</source>
        <translation>
            <numerusform>{n} 线程</numerusform>
        </translation>
    </message>
</context>
</TS>
